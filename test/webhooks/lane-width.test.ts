/** How many deliveries of a lane may be in progress. */
import { describe, expect, test } from "vitest";
import { type LaneResult, noteResult, widthOf } from "../../src/webhooks/delivery/lanes/width";
import { planClaim } from "../../src/webhooks/delivery/selection";
import { SLOW_FOR_MS } from "../../src/webhooks/plane/timing";
import { SHARD } from "../support/shard";

describe("the width of a lane", () => {
  const result = (subscriptionId: string, fields: Partial<LaneResult>) =>
    noteResult({
      ...{
        queue: subscriptionId,
        subscriptionId,
        status: "success",
        isSlow: false,
        cooldownUntil: null,
        completedAt: 0,
      },
      ...fields,
    });

  test("grows by one with each success from 3 to 50, also of a receiver that takes six seconds, and halves with each timeout", () => {
    const id = crypto.randomUUID();
    expect(widthOf(id)).toBe(3);
    for (let n = 0; n < 10; n += 1) result(id, { isSlow: true });
    expect(widthOf(id)).toBe(13);
    for (let n = 0; n < 100; n += 1) result(id, {});
    expect(widthOf(id)).toBe(50);
    const widths = [0, 1, 2, 3, 4].map(() => {
      result(id, { status: "failed", isSlow: true });
      return widthOf(id);
    });
    expect(widths).toEqual([25, 12, 6, 3, 3]);
  });

  test("stays as it is after an answer that is a failure, and is not learned from deliveries outside lanes", () => {
    const id = crypto.randomUUID();
    result(id, { queue: "" });
    result(id, { status: "failed" });
    expect(widthOf(id)).toBe(3);
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

  test("decides how many sends a subscription has in progress from the slow queue", () => {
    const id = crypto.randomUUID();
    const keys = Array.from({ length: 20 }, () => ({ ...keyOf(id) }));
    const planned = () => planClaim("slow", keys).length;
    expect(planned()).toBe(3);
    for (let n = 0; n < 5; n += 1) result(id, { isSlow: true });
    expect(planned()).toBe(8);
  });

  const keyOf = (subscriptionId: string) => ({
    ...{ shard: SHARD, queue: subscriptionId, dueAt: 0, bytes: 1 },
    ...{ id: crypto.randomUUID(), subscriptionId },
  });
});
