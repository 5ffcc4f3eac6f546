/** The times of ids, and ids that SQL makes. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { atomically, rows } from "../../src/base/db/client";
import { newId, newIdSql, newIdsAt, timeOfId } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import { SHARD } from "../support/shard";

/** So many that random bits alone would repeat. */
const COUNT = 50_000;
const IS_UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

test("events of one statement differ in the part of their ids that the ids of their deliveries have", async () => {
  const nowMs = Date.now();
  const { shards } = await createDeps(env, createExecutionContext());
  const { made } = await atomically(shards.db(SHARD), {
    made: rows<{ id: string }>(sql`WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${COUNT})
      SELECT ${newIdSql(nowMs)} AS id FROM n`),
  });
  expect(new Set(made.map(({ id }) => id.slice(0, 23))).size).toBe(COUNT);
  expect(made.filter(({ id }) => !IS_UUID_V7.test(id) || timeOfId(id) !== nowMs)).toEqual([]);
});

test("events of one batch differ in that part too, and their ids rise", () => {
  const nowMs = Date.now();
  const ids = newIdsAt(nowMs, COUNT);
  expect(new Set(ids.map((id) => id.slice(0, 23))).size).toBe(COUNT);
  expect(ids.filter((id) => !IS_UUID_V7.test(id) || timeOfId(id) !== nowMs)).toEqual([]);
  expect(ids.toSorted()).toEqual(ids);
});

test("an id has the time of the clock, also after one of a later time, and those of a millisecond rise", () => {
  const nowMs = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: nowMs + 5_000 });
  expect(timeOfId(newId())).toBe(nowMs + 5_000);
  vi.setSystemTime(nowMs);
  const ids = Array.from({ length: 1_000 }, newId);
  vi.useRealTimers();
  expect(ids.filter((id) => timeOfId(id) !== nowMs)).toEqual([]);
  expect(ids.toSorted()).toEqual(ids);
});
