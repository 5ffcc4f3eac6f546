/** A command that imports people and is repeated goes on with the same options, and does not mix others in. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fingerprintOf, rememberImport, unfinishedImport } from "../../src/sdk/cli/people/unfinished.ts";
import type { Client, Import } from "../../src/sdk/client/index.ts";

const folder = mkdtempSync(join(tmpdir(), "postern-unfinished-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILE = join(folder, "people.csv");
const PARTS = ['{"email":"a@b.c"}\n'];

/** A service that has one import, in this state. */
function serviceWith(state: Import["state"]) {
  const stopped: string[] = [];
  const get = async (id: string) => ({ id, state }) as Import;
  const stop = async (id: string) => `${stopped.push(id)}`;
  return { stopped, service: { platform: { imports: { get, stop } } } as unknown as Client };
}

test("two runs are alike with the same options and the same people alone", async () => {
  const all = await Promise.all([
    fingerprintOf({ onExisting: "skip" }, PARTS),
    fingerprintOf({ onExisting: "update" }, PARTS),
    fingerprintOf({ onExisting: "skip" }, [...PARTS, ...PARTS]),
  ]);
  expect(new Set(all).size).toBe(3);
  expect(await fingerprintOf({ onExisting: "skip" }, PARTS)).toBe(all[0]);
});

test.each(["open", "running", "finished"] as const)(
  "an import that is %s goes on with the same options",
  async (state) => {
    rememberImport(FILE, "id", "same");
    const { service, stopped } = serviceWith(state);
    expect(await unfinishedImport(FILE, service, "same")).toMatchObject({ id: "id" });
    expect(stopped).toEqual([]);
  },
);

test("with other options an open one is stopped, one that has ended is let be, and one that runs ends the command", async () => {
  rememberImport(FILE, "id", "former");
  const [open, finished, running] = [serviceWith("open"), serviceWith("finished"), serviceWith("running")];
  expect(await unfinishedImport(FILE, open.service, "other")).toBeUndefined();
  expect(await unfinishedImport(FILE, finished.service, "other")).toBeUndefined();
  expect([open.stopped, finished.stopped]).toEqual([["id"], []]);
  const failure = { exitCode: 1, message: expect.stringContaining("with other options or people") };
  await expect(unfinishedImport(FILE, running.service, "other")).rejects.toThrow(expect.objectContaining(failure));
});
