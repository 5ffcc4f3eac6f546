/** The delays, timeouts and leases of deliveries depend on each other. */
import { expect, test } from "vitest";
import {
  CLAIM_TIMEOUT_MS,
  GATHER_MS,
  HANDLER_WAITS_MS,
  LATE_START_WITHIN_MS,
  LEASE_MS,
  MAX_EARLY_MS,
  PERMIT_LEASE_MS,
  RECORD_WITHIN_MS,
  RETRY_RECORD_MS,
  SEND_TIMEOUT_MS,
  STALLED_AFTER_MS,
  START_AFTER_CLAIM_MS,
  START_WITHIN_MS,
  THROTTLE_TIMEOUT_MS,
  WATCH_EVERY_MS,
} from "../../src/webhooks/delivery/timing";

/** The claim is made by one clock, and the sweep judges it by another. */
const CLOCKS_DIFFER_BY_MS = 1_000;

test("starting, sending and recording take less than a lease, also if the clock of the sweep is a second ahead", () => {
  const lastMs = START_WITHIN_MS + SEND_TIMEOUT_MS + GATHER_MS + RECORD_WITHIN_MS;
  expect(lastMs + CLOCKS_DIFFER_BY_MS).toBeLessThan(LEASE_MS);
});

test("a send that starts late leaves several tries to record its result before the lease ends", () => {
  expect(LATE_START_WITHIN_MS + SEND_TIMEOUT_MS + GATHER_MS + 4 * RETRY_RECORD_MS + CLOCKS_DIFFER_BY_MS).toBeLessThan(
    LEASE_MS,
  );
  expect(START_WITHIN_MS + START_AFTER_CLAIM_MS).toBeLessThanOrEqual(LATE_START_WITHIN_MS);
});

test("a claim without an answer has failed before its lease ends", () => {
  expect(CLAIM_TIMEOUT_MS).toBeLessThan(LEASE_MS);
});

test("a permit lasts longer than the claim of its delivery, so longer than its request", () => {
  expect(PERMIT_LEASE_MS).toBeGreaterThan(LEASE_MS);
  expect(PERMIT_LEASE_MS).toBeGreaterThan(SEND_TIMEOUT_MS + THROTTLE_TIMEOUT_MS + GATHER_MS + RECORD_WITHIN_MS);
});

test("a run that waits for a scheduled start does not count as stalled, and sees it in time", () => {
  expect(MAX_EARLY_MS).toBeLessThanOrEqual(START_WITHIN_MS);
  expect(WATCH_EVERY_MS).toBeLessThan(STALLED_AFTER_MS);
  expect(HANDLER_WAITS_MS).toBeLessThan(STALLED_AFTER_MS);
});
