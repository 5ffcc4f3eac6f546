/** What one sweep reads of the lanes, however many there are and however long they are. */
import { afterEach, expect, test, vi } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { sweepLanes } from "../../src/webhooks/delivery/lanes/feed";
import type { Advance } from "../../src/webhooks/delivery/lanes/feed-store";
import { type Person, signUpVerified } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { deliveryDb, SHARD } from "../support/shard";

const LANES = 1_300;
const ROWS_OF_LANE = 5;
/** What one call reads: 250 lanes, and three deliveries of each. */
const MAX_HEADS = 750;
const MAX_READS = 4;
const LONG_AGO = Date.now() - 3_600_000;

afterEach(() => void vi.restoreAllMocks());

/** Writes subscriptions with a lane each, whose ids are spread over an hour. Returns their ids. */
async function seedLanes(person: Person, count: number, rowsOfEach: number, isDeleted = 0): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, lane) => newIdAt(LONG_AGO + Math.floor((lane * 3_600_000) / count)));
  await deliveryDb
    .prepare(
      `INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, has_backlog,
        is_deleted, created_at, updated_at)
       SELECT value, ?2, 'Lane', 'https://example.com/', '[]', 'x', 'x', 1, 1, ?3, 1, 1 FROM json_each(?1)`,
    )
    .bind(JSON.stringify(ids), person.tenantId, isDeleted)
    .run();
  await deliveryDb
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
       INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
       SELECT j.value, ?4 + i, substr(j.value, 1, 24) || printf('%012x', i), ?2, j.value, 'event', 'event', 1
         FROM json_each(?1) j CROSS JOIN n`,
    )
    .bind(JSON.stringify(ids), person.tenantId, rowsOfEach, LONG_AGO)
    .run();
  return ids;
}

test("a sweep reads 1,000 lanes at most, three deliveries of each, and the next one begins elsewhere", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const ids = await seedLanes(await signUpVerified(), LANES, ROWS_OF_LANE);
  let reads: number[] = [];
  const { deps, queued } = await controlledDeps(async (name, call) => {
    const answer = await call();
    if (name === "advanceLanes") reads.push((answer as unknown as Advance).heads?.length ?? 0);
    return answer;
  });
  const fed = () => new Set(queued.map((id) => ids.find((lane) => id.startsWith(lane.slice(0, 24)))));
  const begin = vi.spyOn(Math, "random").mockReturnValueOnce(0);
  await sweepLanes(deps, SHARD);
  expect(reads.length).toBeLessThanOrEqual(MAX_READS);
  expect(queued.length).toBeLessThanOrEqual(MAX_READS * MAX_HEADS);
  expect([fed().size > 0, fed().has(ids.at(-1))]).toEqual([true, false]);
  reads = [];
  begin.mockReturnValueOnce(0.75);
  await sweepLanes(deps, SHARD);
  expect(reads.length).toBeLessThanOrEqual(MAX_READS);
  expect(fed()).toEqual(new Set(ids));
});

test("the lane of a deleted subscription ends in pages of 500 deliveries, so 1,200 are gone after three sweeps", async () => {
  const [id = ""] = await seedLanes(await signUpVerified(), 1, 1_200, 1);
  const { deps } = await controlledDeps();
  const left: (number | null)[] = [];
  vi.spyOn(Math, "random").mockReturnValue(0);
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    // All lanes, of which the first test has left many.
    await deliveryDb.prepare("DELETE FROM outbox WHERE queue <> ?").bind(id).run();
    await sweepLanes(deps, SHARD);
    left.push(await deliveryDb.prepare("SELECT count(*) AS n FROM outbox WHERE queue = ?").bind(id).first<number>("n"));
  }
  expect(left[0]).toBeGreaterThan(0);
  expect(left.at(-1)).toBe(0);
});
