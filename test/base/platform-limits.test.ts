/** The limits of the platform under which the whole suite runs. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDb, queryFirst } from "../../src/base/db/client";
import { passedLimits } from "../support/platform-limits";

const marks = (count: number) => Array.from({ length: count }, () => "?").join(", ");
const text = (bytes: number) => "x".repeat(bytes);
const run =
  (query: string, ...values: unknown[]) =>
  async () =>
    env.DB.prepare(query)
      .bind(...values)
      .first();

test.each([
  ["32 arguments of a function", run(`SELECT json_array(${"'a(,', ".repeat(31)}1)`)],
  [
    "arguments of a function inside another",
    run(`SELECT coalesce(json_array(${"1, ".repeat(20)}1), ${"2, ".repeat(20)}2)`),
  ],
  ["a list of 2 MB", run("SELECT length(?)", text(2_000_000))],
  ["100 parameters", run(`SELECT coalesce(${marks(30)}), ${marks(70)}`, ...Array(100).fill(1))],
])("%s may be", async (_, send) => {
  expect(await send()).not.toBeNull();
  expect(passedLimits()).toEqual([]);
});

test.each([
  [
    "33 arguments of a function",
    /too many arguments on function json_array/,
    run(`SELECT json_array(${"1, ".repeat(32)}1)`),
  ],
  ["101 parameters", /too many SQL variables/, run(`SELECT ${marks(101)}`, ...Array(101).fill(1))],
  ["a value of more than 2 MB", /too big/, run("SELECT length(?)", text(2_000_001))],
  ["a value of more than 2 MB in UTF-8", /too big/, run("SELECT length(?)", "é".repeat(1_000_001))],
  ["a row of more than 2 MB", /row too big/, run("SELECT ?, ?", text(1_200_000), text(1_200_000))],
  ["a statement of more than 100 KB", /too long/, run(`SELECT '${text(100_000)}'`)],
])("%s may not be", async (_, message, send) => {
  await expect(send()).rejects.toThrow(message);
  expect(passedLimits()).toHaveLength(1);
});

test("an invocation may send 1,000 statements, those of batches too, and one more is noted", async () => {
  const trips = { trips: 0, sqlMs: 0, rowsWritten: 0 };
  const db = createDb(env.DB, trips);
  for (let batch = 0; batch < 10; batch += 1) {
    await db.$client.batch(Array.from({ length: 100 }, () => db.$client.prepare("SELECT 1")));
  }
  expect(passedLimits()).toEqual([]);
  await queryFirst(db)`SELECT 1`;
  expect(passedLimits()).toEqual([expect.stringContaining("more than 1,000 statements in an invocation")]);
});

/**
 * An object without requests sleeps after 10 s and loses its memory:
 * developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle. What each class remembers, and the test
 * that shows that it may be lost.
 */
const REMEMBERED: Readonly<Record<string, { fields: string[]; test: string }>> = {
  "base/limits/account-lock.ts": {
    fields: ["#unsettled", "#waiting", "#cleanUp"],
    test: "identity/account-lock.test.ts > survives the eviction of its object",
  },
  "base/limits/durable-object.ts": {
    fields: ["#entries", "#leases", "#cleanUp"],
    test: "base/limits.test.ts > survives the eviction of its object",
  },
  "listen-socket.ts": {
    fields: ["#unanswered", "#noting", "#noteAtMs"],
    test: "webhooks/listen-endings.test.ts > is answered although its object is being evicted",
  },
  "oauth/devices/durable-object.ts": {
    fields: [],
    test: "oauth/devices.test.ts > although its object is evicted",
  },
  "sweeper.ts": {
    fields: ["#sweptAt", "#sweepingSince", "#feed"],
    test: "webhooks/lost-messages.isolated.test.ts > remembers what it has queued",
  },
  "webhooks/delivery/throttling/durable-object.ts": {
    fields: ["#state", "#cleanUp"],
    test: "webhooks/limited-deliveries.isolated.test.ts > a throttle that is evicted on the way forgets nothing",
  },
  "webhooks/feeds/durable-object.ts": {
    fields: [],
    test: "webhooks/feed-consumers.test.ts > although its object is evicted",
  },
};

const sources = import.meta.glob("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });
const tests = import.meta.glob("../**/*.test.ts", { query: "?raw", import: "default", eager: true });

test("what the objects remember is listed, with a test for each class that evicts one", () => {
  const found = Object.entries(sources)
    .filter(([, text]) => / extends DurableObject\b/.test(text))
    .map(([path, text]) => {
      const fields = [...text.matchAll(/^ {2}(?:readonly )?(#\w+)(?:: [^\n]+?)? = (?!\()/gm)].map(([, name]) => name);
      return [path.replace("../../src/", ""), fields];
    });
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(REMEMBERED).map(([path, { fields }]) => [path, fields])),
  );
  for (const { test: place } of Object.values(REMEMBERED)) {
    const [file, title] = place.split(" > ") as [string, string];
    const body = tests[`../${file}`] ?? tests[`./${file.replace("base/", "")}`] ?? "";
    expect(body.slice(body.indexOf(title)), place).toMatch(/\bevictDurableObject\(/);
    expect(body, place).toContain(title);
  }
});
