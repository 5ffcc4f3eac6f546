/** Imports that meet a fault: no row stops the others, and an import that only fails ends by itself. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import {
  callImports,
  endImports,
  forgetImporter,
  ndjson,
  newRow,
  readOne,
  reportOf,
  runImports,
  sendPeople,
} from "../support/imports";

vi.setConfig({ testTimeout: 60_000 });

beforeAll(() => forgetImporter());
afterEach(endImports);

/** Runs imports as the minute cron does until this one has ended. Returns it, and how many runs have failed. */
async function runUntilEnded(id: string) {
  for (let failed = 0; failed < 40; ) {
    await runImports().catch(() => {
      failed += 1;
    });
    const { data } = (await callImports("GET", `/${id}`)).body;
    if (data.state !== "running") return { ...data, failed };
  }
  throw new Error("the import does not end");
}

const startOf = async (people: readonly unknown[]): Promise<string> => {
  const { id } = (await callImports("POST", "", {})).body.data;
  await sendPeople("PUT", `/${id}/parts/1`, ndjson(people));
  return id;
};

test("a row that cannot be written is refused after some runs, and the others come in", async () => {
  const people = Array.from({ length: 60 }, () => newRow());
  const poison = people[20]?.email ?? "";
  await env.DB.prepare(
    `CREATE TRIGGER poison BEFORE INSERT ON users WHEN NEW.email = '${poison}' BEGIN SELECT RAISE(ABORT, 'no'); END`,
  ).run();
  const id = await startOf(people);
  try {
    await callImports("POST", `/${id}/start`, { parts: 1 });
    expect(await runUntilEnded(id)).toMatchObject({ state: "finished", created: 59, refused: 1, done: 60 });
  } finally {
    await env.DB.prepare("DROP TRIGGER poison").run();
  }
  const refused = { line: 21, outcome: "refused", reason: "The row could not be written" };
  expect(await reportOf(id, "outcome=refused")).toEqual([refused]);
});

test("an import that only fails ends by itself, and the one that waits behind it runs", async () => {
  const broken = await startOf([newRow()]);
  await env.DB.prepare("UPDATE import_chunks SET sealed = 'broken' WHERE import_id = ?").bind(broken).run();
  const next = await startOf([newRow()]);
  for (const id of [broken, next]) await callImports("POST", `/${id}/start`, { parts: 1 });
  expect(await runUntilEnded(broken)).toMatchObject({ state: "stopped", done: 0 });
  expect(await runUntilEnded(next)).toMatchObject({ state: "finished", created: 1 });
  const recorded = "SELECT count(*) AS count FROM audit_events WHERE action = 'import.stopped' AND target_id = ?";
  expect(await readOne(recorded, broken)).toEqual({ count: 1 });
});
