/** The delays, timeouts and leases of deliveries depend on each other. */
import { expect, test } from "vitest";
import { MAX_KEYS_PER_SLOW_MESSAGE } from "../../src/base/messages";
import { DAY_MS } from "../../src/base/time";
import {
  BLOCKED_AFTER_MS,
  CLAIM_LEASE_MS,
  CLAIM_TIMEOUT_MS,
  CLAIM_WORK_MS,
  DEFAULT_SCHEDULE,
  EVENT_MARGIN_MS,
  FAN_OUT_TAKES_MS,
  HELD_COUNTED_EVERY_MINUTES,
  HELD_GROWING_MS,
  ID_AHEAD_MS,
  ID_BEFORE_MS,
  LATE_AFTER_MS,
  LATE_START_WITHIN_MS,
  LONGEST_INTERRUPTION_WAIT_MS,
  LONGEST_MESSAGE_DELAY_MS,
  LONGEST_QUEUE_WAIT_MS,
  LONGEST_THROTTLE_MESSAGE_DELAY_MS,
  MARK_SLOW_AGAIN_MS,
  MARKED_SLOW_FOR_MS,
  MAX_EARLY_MS,
  MAX_SENDS_OF_RUN,
  MAX_SWEEP_INTERVAL_MS,
  MAX_WORK_MS,
  MIN_SWEEP_INTERVAL_MS,
  OUT_OF_ORDER_MS,
  PATIENCE_MS,
  PERMIT_LEASE_MS,
  QUEUE_GRACE_MS,
  RECORD_WITHIN_MS,
  RELEASE_STEP_MS,
  RESWEEP_AFTER_MS,
  RESWEEP_BACKLOG_AFTER_MS,
  RETRY_AFTER_OUR_FAULT_MS,
  RETRY_RECORD_MS,
  SEND_TIMEOUT_MS,
  SHORTEST_COOLDOWN_MS,
  SLOW_FOR_MS,
  SLOW_SEND_MS,
  START_AFTER_CLAIM_MS,
  START_WITHIN_MS,
  TARGET_FRESH_FOR_MS,
  THROTTLE_TIMEOUT_MS,
  WATCH_EVERY_MS,
} from "../../src/webhooks/plane/timing";
import { wrangler } from "../support/docs";

/** The claim is made by one clock, and the sweep judges it by another. */
const CLOCKS_DIFFER_BY_MS = 1_000;

test("starting, sending and recording take less than a lease, also if the clock of the sweep is a second ahead", () => {
  const lastMs = START_WITHIN_MS + SEND_TIMEOUT_MS + RECORD_WITHIN_MS;
  expect(lastMs + CLOCKS_DIFFER_BY_MS).toBeLessThan(CLAIM_LEASE_MS);
});

test("a send that starts late leaves several tries to record its result before the lease ends", () => {
  expect(LATE_START_WITHIN_MS + SEND_TIMEOUT_MS + 4 * RETRY_RECORD_MS + CLOCKS_DIFFER_BY_MS).toBeLessThan(
    CLAIM_LEASE_MS,
  );
  expect(START_WITHIN_MS + START_AFTER_CLAIM_MS).toBeLessThanOrEqual(LATE_START_WITHIN_MS);
});

test("a claim without an answer has failed before its lease ends", () => {
  expect(CLAIM_TIMEOUT_MS).toBeLessThan(CLAIM_LEASE_MS);
});

test("a permit lasts longer than the claim of its delivery, so longer than its request", () => {
  expect(PERMIT_LEASE_MS).toBeGreaterThan(CLAIM_LEASE_MS);
  expect(PERMIT_LEASE_MS).toBeGreaterThan(SEND_TIMEOUT_MS + THROTTLE_TIMEOUT_MS + RECORD_WITHIN_MS);
});

test("a run sees in time that nothing of it ends, and takes no block of the isolate for that", () => {
  expect(MAX_EARLY_MS).toBeLessThanOrEqual(START_WITHIN_MS);
  expect(WATCH_EVERY_MS).toBeLessThanOrEqual(PATIENCE_MS);
  expect(PATIENCE_MS + WATCH_EVERY_MS).toBeLessThan(BLOCKED_AFTER_MS);
});

test("what is claimed can start in time at the expected latencies, and the rest of a run within a lease", () => {
  expect(CLAIM_WORK_MS / MAX_SENDS_OF_RUN).toBeLessThan(START_WITHIN_MS);
  expect(MAX_WORK_MS / MAX_SENDS_OF_RUN).toBeLessThan(CLAIM_LEASE_MS);
  expect(TARGET_FRESH_FOR_MS).toBeLessThan(START_WITHIN_MS);
});

test("a message of the slow queue has as many deliveries as an invocation sends, and a batch makes 32 invocations at most", () => {
  expect(MAX_KEYS_PER_SLOW_MESSAGE).toBe(MAX_SENDS_OF_RUN);
  const consumers = wrangler.split(/^(?=\[\[)/m).filter((section) => section.startsWith("[[queues.consumers]]"));
  const slow = consumers.filter((section) => /^queue = ".*-slow"$/m.test(section));
  const messages = slow.map((section) => Number(section.match(/^max_batch_size = (\d+)$/m)?.[1]));
  for (const most of messages) expect(most + 1).toBeLessThanOrEqual(32);
});

test("a lost message delays a delivery by less than two minutes", () => {
  expect(LONGEST_QUEUE_WAIT_MS + MAX_SWEEP_INTERVAL_MS).toBeLessThan(120_000);
  expect(RESWEEP_AFTER_MS + MAX_SWEEP_INTERVAL_MS).toBeLessThan(120_000);
  expect(QUEUE_GRACE_MS).toBeLessThanOrEqual(MIN_SWEEP_INTERVAL_MS);
  expect(RESWEEP_BACKLOG_AFTER_MS).toBeGreaterThan(MIN_SWEEP_INTERVAL_MS);
});

test("a retry without a message is found by the next sweep, and one with a message comes before it", () => {
  expect(LONGEST_MESSAGE_DELAY_MS).toBeLessThanOrEqual(MAX_SWEEP_INTERVAL_MS);
  expect(Math.max(...DEFAULT_SCHEDULE) * 1000).toBeLessThan(LONGEST_MESSAGE_DELAY_MS);
  expect(LONGEST_THROTTLE_MESSAGE_DELAY_MS).toBeLessThan(12 * 3_600_000);
});

test("a subscription stays marked as slow until an isolate may mark it again", () => {
  expect(MARK_SLOW_AGAIN_MS).toBeLessThan(MARKED_SLOW_FOR_MS);
  expect(MARKED_SLOW_FOR_MS).toBeLessThan(SLOW_FOR_MS);
  expect(SLOW_SEND_MS).toBeLessThan(SEND_TIMEOUT_MS);
  expect(SHORTEST_COOLDOWN_MS).toBeLessThan(RECORD_WITHIN_MS);
});

test("the log finds every attempt near the time in its id, also one that starts late after a late claim", () => {
  expect(OUT_OF_ORDER_MS).toBeGreaterThanOrEqual(LATE_AFTER_MS + LATE_START_WITHIN_MS + CLOCKS_DIFFER_BY_MS);
  expect(ID_AHEAD_MS).toBeGreaterThan(CLOCKS_DIFFER_BY_MS);
  expect(ID_BEFORE_MS).toBeGreaterThan(CLOCKS_DIFFER_BY_MS);
  expect(FAN_OUT_TAKES_MS).toBeGreaterThan(ID_BEFORE_MS);
});

test("an event is kept longer than any attempt that was claimed with it", () => {
  expect(EVENT_MARGIN_MS).toBeGreaterThan(OUT_OF_ORDER_MS + CLAIM_LEASE_MS);
  expect(LONGEST_INTERRUPTION_WAIT_MS).toBeLessThan(DAY_MS);
  expect(RETRY_AFTER_OUR_FAULT_MS).toBeLessThan(EVENT_MARGIN_MS);
});

test("each minute's run releases a step, and a growing backlog is counted before it stops growing", () => {
  expect(RELEASE_STEP_MS).toBeLessThan(60_000);
  expect(HELD_GROWING_MS).toBeGreaterThan(2 * HELD_COUNTED_EVERY_MINUTES * 60_000);
});
