/** What the command line reads, and that it sends and prints JSON as it was given. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { clientOf } from "../../src/sdk/cli/client-of-account.ts";
import { exactly, parseExactly, receiveExactly, stringifyExactly } from "../../src/sdk/cli/exact.ts";
import { Failure } from "../../src/sdk/cli/failure.ts";
import { readJson, readJsonText, readText } from "../../src/sdk/cli/input.ts";
import { HARD, REWRAPPED } from "../support/hard-document.ts";

const folder = mkdtempSync(join(tmpdir(), "postern-input-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllGlobals());

const file = (bytes: Uint8Array | string): string => {
  const path = join(folder, "given.json");
  writeFileSync(path, bytes);
  return path;
};

const account = { url: "http://service.test", credential: "ak_test" };

describe("files", () => {
  test("in UTF-8 are read without a byte order mark, and so is JSON in an argument", () => {
    expect(readText(file('\uFEFF{"a":"é"}'))).toBe('{"a":"é"}');
    expect(readJson(`@${file('\uFEFF{"a":"é"}')}`, "The payload")).toEqual({ a: "é" });
    expect(readJson('\uFEFF{"a":1}', "The payload")).toEqual({ a: 1 });
  });

  test.each([
    ["Latin-1", Buffer.from('{"secret":"sécret"}', "latin1"), /is not UTF-8/],
    ["half of a character", Buffer.from('{"a":"é"}').subarray(0, 7), /is not UTF-8/],
    ["UTF-16 with a mark", Buffer.from('\uFEFF{"a":1}', "utf16le"), /is UTF-16/],
    ["UTF-16 without one", Buffer.from('{"a":1}', "utf16le"), /is UTF-16/],
    ["gzip", Buffer.from([0x1f, 0x8b, 8, 0]), /is compressed/],
    ["a ZIP", Buffer.from("PK\u0003\u0004"), /is compressed/],
    ["big-endian UTF-16", Buffer.from('{"a":1}', "utf16le").swap16(), /is UTF-16/],
  ])("in %s end the command with 2 and a sentence", (_name, bytes, sentence) => {
    const path = file(bytes);
    for (const read of [() => readText(path), () => readJson(`@${path}`, "The payload")]) {
      expect(read).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringMatching(sentence) }));
    }
  });

  test("that are not there, and what is no JSON, end the command with 2", () => {
    for (const read of [() => readText(join(folder, "none")), () => readJson("{", "The payload")]) {
      expect(read).toThrow(Failure);
    }
  });
});

describe("JSON", () => {
  test("is sent as it was given", async () => {
    const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json({ data: {} }));
    vi.stubGlobal("fetch", fetch);
    const { events, webhooks } = clientOf(account);
    const payload = exactly(readJsonText(HARD, "The payload"));
    await events.publish({ type: "Hard", payload });
    expect(fetch.mock.lastCall?.[1].body).toBe(`{"type":"Hard","payload":${HARD}}`);
    await webhooks.import({ subscriptions: parseExactly('[{"filter":{"id":9007199254740993}}]') as never });
    expect(fetch.mock.lastCall?.[1].body).toBe('{"subscriptions":[{"filter":{"id":9007199254740993}}]}');
  });

  test("is printed with the digits that the service has sent", async () => {
    const answer = `{"data":[{"_id":"1","payload":${HARD}}]}`;
    vi.stubGlobal("fetch", async () => new Response(answer, { status: 200 }));
    const [attempt] = await clientOf(account, undefined, receiveExactly).webhooks.logs("w");
    expect(stringifyExactly(attempt)).toBe(`{"_id":"1","payload":${REWRAPPED}}`);
  });
});
