/** How many deliveries of a subscription may be in progress. */
import { afterEach, describe, expect, test } from "vitest";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
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
import { endAbandoned, startSend } from "../../src/webhooks/delivery/send-load";
import {
  BLOCKED_AFTER_MS,
  CLAIM_LEASE_MS,
  PATIENCE_MS,
  PLACE_KEPT_FOR_MS,
  SLOW_FOR_MS,
} from "../../src/webhooks/plane/timing";
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
    expect(memory.places.share.inAll).toBe(MOST_OF_TENANT);
  });

  test("the reserves of all tenants together are bounded, but each tenant keeps a few", () => {
    memory.clear();
    const taken = Array.from({ length: 10 }, (_, n) => `tenant ${n}`).map((tenant) => {
      memory.places.share.ofTenants.set(tenant, MOST_OF_TENANT);
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

test("a place that is kept is free again after the lease of a claim, also if more are kept than are remembered", () => {
  memory.clear();
  for (let kept = 0; kept < 250; kept += 1) keepPlace(`kept ${kept}`, newOf(`tenant ${kept}`), 0);
  giveUpOldPlaces(PLACE_KEPT_FOR_MS);
  endAbandoned(CLAIM_LEASE_MS);
  expect([memory.places.share.inAll, memory.places.share.ofTenants.size]).toEqual([0, 0]);
  memory.clear();
});

describe("a subscription whose receiver answers at once", () => {
  /** One that is known to answer after so many ms, and whose tenant has no place in its share and its reserve. */
  function known(latencyMs: number) {
    memory.clear();
    const owned = busy("a");
    memory.latenciesMs.set(owned.subscriptionId, latencyMs);
    for (const pool of [memory.places.share, memory.places.reserve]) pool.ofTenants.set("a", MOST_OF_TENANT);
    return owned;
  }
  afterEach(() => memory.clear());

  test("never waits for the places that others of its tenant hold for long", () => {
    const others = Array.from({ length: 200 }, () => takePlace(busy("a"), 0));
    expect(hasPlace(known(PATIENCE_MS - 1), 0)).toBe(true);
    expect(hasPlace(known(PATIENCE_MS), 0)).toBe(false);
    for (const end of others) end();
  });

  test("has at most as many places of that kind as a tenant has", () => {
    const quick = known(1);
    memory.widths.set(quick.subscriptionId, { width: 1_000, narrowUntil: 0 });
    for (let taken = 0; taken < MOST_OF_TENANT; taken += 1) takePlace(quick, 0);
    expect(hasPlace(quick, 0)).toBe(false);
  });

  test("gives such a place up when it has not answered in time, and has none while it is silent", () => {
    const quick = known(1);
    const counts = () => [memory.places.quick, memory.places.share].map(({ ofTenants }) => ofTenants.get("a") ?? 0);
    const endSend = startSend(quick.subscriptionId, () => 0);
    const end = takePlace(quick, 0);
    giveUpOldPlaces(PATIENCE_MS - 1);
    expect([counts(), hasPlace(quick, PATIENCE_MS)]).toEqual([[1, MOST_OF_TENANT], true]);
    giveUpOldPlaces(PATIENCE_MS);
    expect([counts(), hasPlace(quick, BLOCKED_AFTER_MS)]).toEqual([[0, MOST_OF_TENANT + 1], false]);
    end();
    endSend();
    expect(counts()).toEqual([0, MOST_OF_TENANT]);
  });
});
