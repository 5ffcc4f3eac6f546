/** When the results of a run are recorded, and which of them together. */
import { afterEach, expect, test, vi } from "vitest";
import type { AttemptResult } from "../../src/webhooks/delivery/record-store";
import { createRecorder } from "../../src/webhooks/delivery/recorder";
import { eventually } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { keyOfNobody } from "../support/engine";
import { SHARD } from "../support/shard";

afterEach(() => void vi.restoreAllMocks());

/** The result of a delivery that is in no database. */
const newResult = (): AttemptResult => ({
  ...keyOfNobody(),
  ...{ attemptId: crypto.randomUUID(), kind: "event", status: "success", responseCode: 200, responseBody: "" },
  ...{ error: null, startedAt: Date.now(), completedAt: Date.now(), nextDueAt: null, nextAttemptId: null },
  ...{ isSlow: false, cooldownUntil: null, isGone: false, isFailedProbe: false, mayBeGone: false },
});

/** Keeps timers instead of starting them. */
function holdTimers() {
  const timers: { work: () => void; ms: number | undefined }[] = [];
  const hold = (work: () => void, ms?: number) => {
    timers.push({ work, ms });
    return 0;
  };
  vi.spyOn(globalThis, "setTimeout").mockImplementation(hold as unknown as typeof setTimeout);
  return timers;
}

test("results wait at most 25 ms for each other, and are recorded together", async () => {
  let records = 0;
  const { deps, ended } = await controlledDeps((_, call) => {
    records += 1;
    return call();
  });
  const recorder = createRecorder(deps, SHARD, "a claim");
  const timers = holdTimers();
  for (let count = 0; count < 20; count += 1) recorder.add(newResult());
  expect([records, timers.map(({ ms }) => ms)]).toEqual([0, [25]]);
  timers[0]?.work();
  vi.restoreAllMocks();
  await ended();
  expect(records).toBe(1);
});

test("results that arrive during a record are recorded together after it, although their time has passed", async () => {
  let records = 0;
  const first = Promise.withResolvers<void>();
  const { deps } = await controlledDeps(async (_, call) => {
    records += 1;
    if (records === 1) await first.promise;
    return call();
  });
  const recorder = createRecorder(deps, SHARD, "a claim");
  recorder.add(newResult());
  await eventually("the first record", async () => records === 1);
  const timers = holdTimers();
  for (let count = 0; count < 20; count += 1) {
    recorder.add(newResult());
    for (const { work } of timers.splice(0)) work();
  }
  vi.restoreAllMocks();
  expect(records).toBe(1);
  first.resolve();
  await recorder.flush();
  expect(records).toBe(2);
});
