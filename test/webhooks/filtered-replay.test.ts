/** A replay to a subscription with a filter reads payloads, but never many at once. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { readPage } from "../../src/webhooks/resend/replays/page-store";
import { readRunningJobs } from "../../src/webhooks/resend/replays/store";
import { Meter, PRICES } from "../../src/webhooks/work/meter";
import { signUpVerified } from "../support/client";
import { newInbox, subscribe } from "../support/receiver";
import { startReplay, storeEvents } from "../support/replays";
import { deliveryDb, SHARD } from "../support/shard";

const MIB = 1024 * 1024;
const EVENTS = 70;

/** A replay of large events, of which every second one has a 1 that the filter asks for. Returns its pages. */
async function pagesOf(payloadBytes: number, filter: object, steps = Infinity): Promise<string[][]> {
  const person = await signUpVerified();
  const id = await subscribe(person, newInbox("200").url, { delivery: { filter } });
  const events = await storeEvents(person, EVENTS, "OrderPaid", Date.now() - 1_000);
  const frame = '{"n":1,"text":""}'.length;
  await deliveryDb
    .prepare(
      `UPDATE events SET payload = '{"n":' || (j.key % 2) || ',"text":"' || hex(zeroblob(?)) || '"}'
         FROM json_each(?) j WHERE events.id = j.value`,
    )
    .bind((payloadBytes - frame) / 2, JSON.stringify(events))
    .run();
  const replayId = await startReplay(person, id, { which: "all" });
  const { shards, now } = await createDeps(env, createExecutionContext());
  const job = (await readRunningJobs(shards.db(SHARD), now())).find((one) => one.id === replayId);
  if (!job) throw new Error("the replay does not run");
  const pages: string[][] = [];
  for (let cursor: string | null = job.cursor; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(
      shards.db(SHARD),
      { ...job, cursor },
      500,
      new Meter(steps),
    );
    pages.push(page.wanted.map(({ eventId }) => eventId));
    cursor = page.next;
  }
  expect(pages.flat()).toEqual(events.filter((_, at) => filter === ALL || at % 2 === 1));
  // Otherwise other tests would go on with it.
  await deliveryDb.prepare("DELETE FROM replay_jobs WHERE id = ?").bind(replayId).run();
  return pages;
}

const ALL = { type: "OrderPaid" };
const HALF = { "payload.n": 1 };

test.each([
  ["that all fit", ALL, 1],
  ["of which half fit", HALF, 2],
])("a page of events of 256 KiB %s comes from 8 MiB at most, and none is skipped", async (_which, filter, share) => {
  const bytes = 262_143;
  const pages = await pagesOf(bytes, filter);
  expect(pages.length).toBeGreaterThan(2);
  for (const page of pages) expect((page.length - 1) * share * bytes).toBeLessThan(8 * MIB);
  expect(Math.max(...pages.map(({ length }) => length * share))).toBe(Math.floor((8 * MIB) / bytes));
});

test("a page ends at the event at which its steps are spent, and none is skipped", async () => {
  const bytes = 16_383;
  const pages = await pagesOf(bytes, HALF, 3 * bytes * PRICES.character);
  // Two of three events at a time fit, or one.
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(2);
  expect(pages.length).toBeGreaterThanOrEqual(EVENTS / 4);
});
