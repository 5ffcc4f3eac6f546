/** When the results of a run are recorded, and which of them together. */
import { afterEach, expect, test, vi } from "vitest";
import { claimDeliveries } from "../../src/webhooks/delivery/claim-store";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { type AttemptResult, recordAttempts } from "../../src/webhooks/delivery/record-store";
import { createRecorder } from "../../src/webhooks/delivery/recorder";
import { eventually, signUp } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { addDelivery, keyOfNobody, outboxRow } from "../support/engine";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

afterEach(() => void vi.restoreAllMocks());

/** The result of a delivery that is in no database. By `mayBeGone`, that takes no second try. */
const newResult = (): AttemptResult => ({
  ...keyOfNobody(),
  ...{
    attemptId: crypto.randomUUID(),
    kind: "event",
    status: "success",
    responseCode: 200,
    responseBody: "",
    responseHeaders: null,
  },
  ...{ error: null, startedAt: Date.now(), completedAt: Date.now(), nextDueAt: null, nextAttemptId: null },
  ...{ isSlow: false, cooldownUntil: null, isGone: false, isFailedProbe: false, mayBeGone: true },
});

test("a result is recorded at once, and those that arrive during a record together after it, without a timer", async () => {
  // Lanes of other tests that wait for places would be fed after the record.
  memory.clear();
  const records: number[] = [];
  const first = Promise.withResolvers<void>();
  const { deps } = await controlledDeps(async (_, call) => {
    records.push(added);
    if (records.length === 1) await first.promise;
    return call();
  });
  const timers = vi.spyOn(globalThis, "setTimeout");
  let added = 0;
  const recorder = createRecorder(deps, SHARD, "a claim");
  const add = () => {
    added += 1;
    recorder.add(newResult());
  };
  add();
  await eventually("the first record", async () => records.length === 1);
  timers.mockClear();
  for (let count = 0; count < 20; count += 1) add();
  expect([records, timers.mock.calls]).toEqual([[1], []]);
  first.resolve();
  await recorder.flush();
  expect(records).toEqual([1, 21]);
});

test("the record after a long one waits twice as long as that took, so that it has the results of that time", async () => {
  memory.clear();
  const records: number[] = [];
  const waitsMs: number[] = [];
  const rest = Promise.withResolvers<void>();
  const { deps, turn } = await controlledDeps((_, call) => {
    records.push(added);
    turn(records.length === 1 ? 6 : 60);
    return call();
  });
  const wait = (ms: number) => {
    waitsMs.push(ms);
    return waitsMs.length === 1 ? rest.promise : Promise.resolve();
  };
  let added = 0;
  const recorder = createRecorder({ ...deps, wait }, SHARD, "a claim");
  const add = () => {
    added += 1;
    recorder.add(newResult());
  };
  add();
  await eventually("the rest", async () => waitsMs.length === 1);
  for (let count = 0; count < 9; count += 1) add();
  expect(records).toEqual([1]);
  rest.resolve();
  await recorder.flush();
  expect(records).toEqual([1, 10]);
  expect(waitsMs[0]).toBeGreaterThanOrEqual(12);
  expect(waitsMs.every((ms) => ms <= 25)).toBe(true);
});

test("a result of an attempt that somebody else holds is not recorded, and those recorded with it count once", async () => {
  const person = await signUp();
  const webhookId = await subscribe(person, newInbox("200").url);
  const [lost, kept] = [await addDelivery(person, webhookId), await addDelivery(person, webhookId)];
  const { deps } = await controlledDeps();
  const db = deps.shards.db(SHARD);
  await claimDeliveries(db, { speed: "fast", claim: "other" }, [lost], Date.now());
  await claimDeliveries(db, { speed: "fast", claim: "holder" }, [kept], Date.now());
  const results = [lost, kept].map((key) => ({ ...newResult(), ...key, attemptId: key.id, mayBeGone: false }));
  for (let times = 0; times < 2; times += 1) {
    expect((await recordAttempts(db, "holder", results)).recorded).toEqual(new Set([kept.id]));
  }
  expect([await outboxRow(kept), (await outboxRow(lost))?.attempts]).toEqual([null, 0]);
  const counts = await deliveryDb
    .prepare("SELECT sum(succeeded) AS succeeded, sum(latency_0) AS quick FROM hourly_stats WHERE subscription_id = ?")
    .bind(webhookId)
    .first();
  expect(counts).toEqual({ succeeded: 1, quick: 1 });
});
