/** Schedules, `Retry-After`, 410 and the abort header, as pure functions. */
import { describe, expect, test } from "vitest";
import { retryAfterMs } from "../../src/webhooks/delivery/retry-after";
import { failure, type SendOutcome } from "../../src/webhooks/delivery/send";
import { retryPolicy, verdictOf } from "../../src/webhooks/delivery/verdict";
import type { RetryOptions } from "../../src/webhooks/options/retry-options";
import { STANDARD_SCHEDULE } from "../../src/webhooks/options/schedule-option";
import { DEFAULT_SCHEDULE, retryWaitMs } from "../../src/webhooks/plane/timing";

const NOW_MS = Date.parse("2026-11-22T00:00:00.000Z");

/** Numbers in [0, 1) that are the same in each run (Park and Miller). */
function randomsFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe("waits", () => {
  test("each is at least what the schedule says and at most a fifth longer, a short one at most 4 %", () => {
    const random = randomsFrom(20_261_122);
    for (let run = 0; run < 1_000; run += 1) {
      const schedule = Array.from({ length: Math.floor(random() * 21) }, () => 1 + Math.floor(random() ** 3 * 86_400));
      const waits = schedule.map((_, index) => retryWaitMs(index + 1, schedule, random()) ?? Number.NaN);
      for (const [index, seconds] of schedule.entries()) {
        expect(waits[index]).toBeGreaterThanOrEqual(seconds * 1000);
        expect(waits[index]).toBeLessThanOrEqual(seconds * 1000 * (seconds < 60 ? 1.04 : 1.2));
      }
      const sumMs = schedule.reduce((total, seconds) => total + seconds * 1000, 0);
      const waitedMs = waits.reduce((total, ms) => total + ms, 0);
      expect(waitedMs).toBeGreaterThanOrEqual(sumMs);
      expect(waitedMs).toBeLessThanOrEqual(sumMs * 1.2);
      expect(retryWaitMs(schedule.length + 1, schedule, random())).toBeNull();
    }
  });

  test("the jitter grows from a minute on", () => {
    expect([59, 60].map((seconds) => retryWaitMs(1, [seconds], 1))).toEqual([59_000 * 1.04, 60_000 * 1.2]);
  });

  test("without a schedule there are three attempts, 5 and 10 seconds apart", () => {
    expect([1, 2, 3].map((attempt) => retryWaitMs(attempt, DEFAULT_SCHEDULE, 0))).toEqual([5_000, 10_000, null]);
  });

  test("the standard schedule makes ten attempts within 76 hours", () => {
    expect(STANDARD_SCHEDULE).toHaveLength(9);
    expect(STANDARD_SCHEDULE.reduce((total, wait) => total + wait, 0)).toBe(272_105);
  });
});

test.each([
  ["120", 120_000],
  ["1.5", 1_500],
  ["0.0001", 1],
  [" 7 ", 7_000],
  ["Sun, 22 Nov 2026 00:02:00 GMT", 120_000],
  ["Sunday, 22-Nov-26 00:02:00 GMT", 120_000],
  ["Sun Nov 22 00:02:00 2026", 120_000],
  ["Tue Nov  3 00:02:00 2026", null],
  ["86400", 86_400_000],
  ["86401", 86_400_000],
  ["1000000000", 86_400_000],
  ["1795000000000", 86_400_000],
  ["Fri, 22 Nov 2126 00:00:00 GMT", 86_400_000],
  ["0", null],
  ["-1", null],
  ["1e9", null],
  ["+5", null],
  ["0x10", null],
  [".5", null],
  ["5s", null],
  ["soon", null],
  ["", null],
  [null, null],
  ["5, 10", null],
  ["Sun, 22 Nov 2026 00:00:00 GMT", null],
  ["Sat, 21 Nov 2026 23:59:59 GMT", null],
  ["Tuesday, 22-Nov-94 00:02:00 GMT", null],
  ["Sun, 99 Nov 2026 00:02:00 GMT", null],
  ["2026-11-22T00:02:00Z", null],
  ["Sun, 22 Nov 2026 00:02:00 +0000", null],
])("Retry-After %j asks for %s ms", (value, ms) => {
  expect(retryAfterMs(value, NOW_MS)).toBe(ms);
});

const answer = (responseCode: number, fields: Partial<SendOutcome> = {}): SendOutcome => ({
  ...failure(`status ${responseCode}`),
  responseCode,
  ...fields,
});

const verdictFor = (retry: RetryOptions | undefined, outcome: SendOutcome, tookMs = 10, attempt = 1) =>
  verdictOf(retryPolicy(retry), attempt, outcome, { startedAt: NOW_MS - tookMs, completedAt: NOW_MS }, 0);

describe("a schedule of its own", () => {
  const own: RetryOptions = { schedule: [30, 60] };

  test.each([
    ["10", 30_000],
    ["3600", 3_600_000],
  ])("is made longer by Retry-After, never shorter: %s seconds", (retryAfter, waitMs) => {
    expect(verdictFor(own, answer(500, { retryAfter })).nextDueAt).toBe(NOW_MS + waitMs);
  });

  test("gets no more attempts by Retry-After", () => {
    expect(verdictFor(own, answer(503, { retryAfter: "10" }), 10, 3).nextDueAt).toBeNull();
  });

  test("ends a delivery at 410", () => {
    expect(verdictFor(own, answer(410))).toMatchObject({ nextDueAt: null, error: "gone", isGone: true });
  });

  test.each([
    [{ respectRetryAfter: false }, 503, "3600"],
    [{ onGone: "retry" }, 410, null],
    [{}, 500, "soon"],
  ] as const)("with %j waits as it says after %i", (options, status, retryAfter) => {
    expect(verdictFor({ ...own, ...options }, answer(status, { retryAfter }))).toMatchObject({
      nextDueAt: NOW_MS + 30_000,
      error: `status ${status}`,
      isGone: false,
    });
  });
});

describe("without options", () => {
  test.each([
    ["410", answer(410)],
    ["429 with Retry-After", answer(429, { retryAfter: "3600" })],
    ["the abort header", answer(500, { asksToAbort: true })],
  ])("%s changes nothing", (_, outcome) => {
    expect(verdictFor(undefined, outcome)).toMatchObject({
      nextDueAt: NOW_MS + 5_000,
      error: outcome.error,
      isSlow: false,
    });
  });

  test.each([502, 503, 504])("%i puts the subscription into the slow queue", (status) => {
    expect(verdictFor(undefined, answer(status)).isSlow).toBe(true);
  });

  test("so does a timeout, and an answer that took 5 seconds, not another failure", () => {
    expect(verdictFor(undefined, failure("timeout")).isSlow).toBe(true);
    expect(verdictFor(undefined, answer(200, { status: "success" }), 5_000).isSlow).toBe(true);
    expect([400, 429, 500].map((status) => verdictFor(undefined, answer(status)).isSlow)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

test.each([
  [{ respectRetryAfter: true }, answer(500, { retryAfter: "60" }), { nextDueAt: NOW_MS + 60_000 }],
  [{ respectRetryAfter: true }, answer(429), { nextDueAt: NOW_MS + 5_000, isSlow: true }],
  [{ onGone: "disable" }, answer(410), { nextDueAt: null, error: "gone" }],
  [{ abortHeader: true }, answer(500, { asksToAbort: true }), { nextDueAt: null, error: "aborted" }],
  [{ abortHeader: true }, answer(200, { status: "success", asksToAbort: true }), { nextDueAt: null, error: null }],
] as [RetryOptions, SendOutcome, object][])("%j works without a schedule", (options, outcome, expected) => {
  expect(verdictFor(options, outcome)).toMatchObject(expected);
});
