/** How many deliveries of a subscription may be in progress. */
import { describe, expect, test } from "vitest";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { noteResult, type WidthResult, widthOf } from "../../src/webhooks/delivery/lanes/width";
import { hasPlace, noteDelay, takePlace } from "../../src/webhooks/delivery/places";
import { planClaim } from "../../src/webhooks/delivery/selection";
import { NARROW_EVERY_MS, SLOW_FOR_MS, TARGET_DELAY_MS } from "../../src/webhooks/plane/timing";
import { SHARD } from "../support/shard";

describe("the width of a subscription", () => {
  const result = (subscriptionId: string, fields: Partial<WidthResult>) =>
    noteResult({
      ...{
        subscriptionId,
        status: "success",
        responseCode: 200,
        isSlow: false,
        cooldownUntil: null,
        completedAt: 0,
      },
      ...fields,
    });

  test("grows by one with each success from 10 to 128, also of a receiver that takes six seconds, and halves with each timeout", () => {
    const id = crypto.randomUUID();
    expect(widthOf(id)).toBe(10);
    for (let n = 0; n < 10; n += 1) result(id, { isSlow: true });
    expect(widthOf(id)).toBe(20);
    for (let n = 0; n < 200; n += 1) result(id, {});
    expect(widthOf(id)).toBe(128);
    const widths = Array.from({ length: 7 }, (_, n) => n).map(() => {
      result(id, { status: "failed", isSlow: true });
      return widthOf(id);
    });
    expect(widths).toEqual([64, 32, 16, 8, 4, 3, 3]);
  });

  test("halves with each 429, whatever its options are, and stays as it is after another failure", () => {
    const id = crypto.randomUUID();
    result(id, { status: "failed", responseCode: 500 });
    expect(widthOf(id)).toBe(10);
    result(id, { status: "failed", responseCode: 429 });
    expect(widthOf(id)).toBe(5);
  });

  test("stays three for ten minutes after a pause for which the receiver has asked", () => {
    const id = crypto.randomUUID();
    for (let n = 0; n < 5; n += 1) result(id, {});
    result(id, { status: "failed", isSlow: true, cooldownUntil: 1_000 });
    for (let n = 0; n < 5; n += 1) result(id, { completedAt: 1_000 + SLOW_FOR_MS - 1 });
    expect(widthOf(id)).toBe(3);
    result(id, { completedAt: 1_000 + SLOW_FOR_MS });
    expect(widthOf(id)).toBe(4);
  });

  test("decides how many of its deliveries are claimed at once", () => {
    const id = crypto.randomUUID();
    const keys = Array.from({ length: 20 }, () => ({ ...keyOf(id) }));
    const planned = () => planClaim(keys).length;
    memory.latenciesMs.set(id, 5);
    expect(planned()).toBe(10);
    for (let n = 0; n < 5; n += 1) result(id, { isSlow: true });
    expect(planned()).toBe(15);
  });

  const keyOf = (subscriptionId: string) => ({
    shard: SHARD,
    queue: subscriptionId,
    dueAt: 0,
    bytes: 1,
    id: crypto.randomUUID(),
    subscriptionId,
  });
});

test("while claims are answered late there are fewer places in all, but each tenant keeps a few", () => {
  memory.clear();
  const lateOnce = (nowMs: number) => noteDelay(TARGET_DELAY_MS + 1, nowMs);
  for (let late = 1; late <= 20; late += 1) lateOnce(late * NARROW_EVERY_MS);
  lateOnce(20 * NARROW_EVERY_MS + 1);
  expect(memory.mostInAll).toBe(16);
  const releases = Array.from({ length: 16 }, () =>
    takePlace({ subscriptionId: crypto.randomUUID(), tenantId: "a" }, 0),
  );
  const ofTenant = (tenantId: string) => hasPlace({ subscriptionId: crypto.randomUUID(), tenantId });
  expect([ofTenant("a"), ofTenant("b")]).toEqual([false, true]);
  noteDelay(TARGET_DELAY_MS, 0);
  expect(ofTenant("a")).toBe(true);
  for (const release of releases) release();
  memory.clear();
});
