/** How many deliveries of a subscription may be in progress. */
import { afterEach, describe, expect, test } from "vitest";
import { noteDelay } from "../../src/webhooks/delivery/congestion";
import { type HungryLane, MOST_PLACES, memory } from "../../src/webhooks/delivery/isolate-memory";
import { takeHungry } from "../../src/webhooks/delivery/lanes/feed";
import { noteResult, type WidthResult, widthOf } from "../../src/webhooks/delivery/lanes/width";
import {
  giveUpOldPlaces,
  hasPlace,
  keepPlace,
  MOST_OF_TENANT,
  noteRest,
  type Owned,
  takePlace,
} from "../../src/webhooks/delivery/places";
import { planClaim } from "../../src/webhooks/delivery/selection";
import { NARROW_EVERY_MS, PLACE_KEPT_FOR_MS, SLOW_FOR_MS, TARGET_DELAY_MS } from "../../src/webhooks/plane/timing";
import { SHARD } from "../support/shard";

const keyOf = (owned: Owned) => ({
  shard: SHARD,
  queue: owned.subscriptionId,
  dueAt: 0,
  bytes: 1,
  id: crypto.randomUUID(),
  ...owned,
});

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
    const keys = Array.from({ length: 20 }, () => keyOf({ subscriptionId: id }));
    const planned = () => planClaim(keys, 0).length;
    memory.mostInAll = MOST_PLACES;
    memory.latenciesMs.set(id, 5);
    expect(planned()).toBe(10);
    for (let n = 0; n < 5; n += 1) result(id, { isSlow: true });
    expect(planned()).toBe(15);
  });
});

const newOf = (tenantId: string) => ({ subscriptionId: crypto.randomUUID(), tenantId });

/** One whose last delivery has just ended. */
function busy(tenantId: string) {
  const owned = newOf(tenantId);
  noteRest(owned.subscriptionId, -1, 0);
  return owned;
}

describe("when a tenant's share is taken", () => {
  const fill = (tenantId: string) => {
    memory.clear();
    for (let taken = 0; taken < MOST_OF_TENANT; taken += 1) takePlace(busy(tenantId), 0);
  };
  afterEach(() => memory.clear());

  test("a subscription has one place more if its last delivery took a quarter of the time since its claim", () => {
    fill("a");
    const { subscriptionId } = newOf("a");
    noteRest(subscriptionId, 1_000, 1_800);
    const hasOne = (nowMs: number) => hasPlace({ subscriptionId, tenantId: "a" }, nowMs);
    expect([hasOne(1_800), hasOne(1_000 + 4 * 800 - 1), hasOne(1_000 + 4 * 800)]).toEqual([false, false, true]);
    const release = takePlace({ subscriptionId, tenantId: "a" }, 20_000);
    expect(hasOne(20_000)).toBe(false);
    release();
    expect(hasOne(20_000)).toBe(true);
  });

  test("its reserve is bounded, and takes nothing from the shares of others", () => {
    fill("a");
    const plan = (tenantId: string) =>
      planClaim(
        Array.from({ length: 60 }, () => keyOf(newOf(tenantId))),
        0,
      ).length;
    memory.usualMs = 1;
    expect([plan("a"), plan("b")]).toEqual([60, 60]);
    for (let taken = 0; taken < MOST_OF_TENANT; taken += 1) takePlace(newOf("a"), 0);
    expect([plan("a"), plan("b")]).toEqual([0, 60]);
    expect(memory.places.inAll).toBe(MOST_OF_TENANT);
  });

  test("the reserves of all tenants together are bounded, but each tenant keeps a few", () => {
    memory.clear();
    const taken = Array.from({ length: 10 }, (_, n) => `tenant ${n}`).map((tenant) => {
      memory.places.ofTenants.set(tenant, MOST_OF_TENANT);
      const owned = Array.from({ length: 120 }, () => newOf(tenant));
      return owned.filter((one) => hasPlace(one, 0) && takePlace(one, 0)).length;
    });
    expect(taken).toEqual([120, 120, 80, ...Array.from({ length: 7 }, () => 5)]);
  });
});

test("a place that is kept for a queued delivery is its own, for a second", () => {
  memory.clear();
  const keys = Array.from({ length: 2 }, () => keyOf(busy("a")));
  const [first, second] = keys.map(({ id }) => id);
  for (let taken = 1; taken < MOST_OF_TENANT; taken += 1) takePlace(busy("a"), 0);
  const planned = () => planClaim(keys, 0).map(({ id }) => id);
  expect(planned()).toEqual([first]);
  if (keys[1]) keepPlace(keys[1].id, keys[1], 0);
  expect(planned()).toEqual([second]);
  giveUpOldPlaces(PLACE_KEPT_FOR_MS - 1);
  expect(planned()).toEqual([second]);
  giveUpOldPlaces(PLACE_KEPT_FOR_MS);
  expect(planned()).toEqual([first]);
  memory.clear();
});

test("while claims are answered late there are fewer places in all, but each tenant keeps a few", () => {
  memory.clear();
  const lateOnce = (nowMs: number) => noteDelay(TARGET_DELAY_MS + 1, nowMs);
  for (let late = 1; late <= 20; late += 1) lateOnce(late * NARROW_EVERY_MS);
  lateOnce(20 * NARROW_EVERY_MS + 1);
  expect(memory.mostInAll).toBe(16);
  const releases = Array.from({ length: 16 }, () => takePlace(busy("a"), 0));
  const ofTenant = (tenantId: string) => hasPlace(busy(tenantId), 0);
  expect([ofTenant("a"), ofTenant("b")]).toEqual([false, true]);
  noteDelay(TARGET_DELAY_MS, 0);
  expect(ofTenant("a")).toBe(true);
  for (const release of releases) release();
  memory.clear();
});

describe("the lanes that wait for places", () => {
  const wait = (tenantId: string, subscriptionId: string, waiting = 1) => {
    const lane: HungryLane = { shard: SHARD, tenantId, subscriptionId, waiting };
    memory.hungry.set(subscriptionId, lane);
  };
  const taken = () => takeHungry(SHARD, 0).map(({ subscriptionId }) => subscriptionId);

  test("of a tenant with thousands let one of another tenant go with the first", () => {
    memory.clear();
    for (let lanes = 0; lanes < 2_000; lanes += 1) wait("many", `many-${lanes}`);
    wait("few", "few");
    expect(taken().slice(0, 2)).toContain("few");
    memory.clear();
  });

  test("of one tenant go in the order of how many deliveries wait in them", () => {
    memory.clear();
    for (let lanes = 0; lanes < 250; lanes += 1) wait("one", `two-${lanes}`, 2);
    wait("one", "single");
    expect(taken()[0]).toBe("single");
    memory.clear();
  });
});
