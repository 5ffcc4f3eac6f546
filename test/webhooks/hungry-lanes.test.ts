/** The lanes that wait for places: which of them go first, and in how many steps they are found. */
import { afterEach, expect, test, vi } from "vitest";
import { countClaiming, roomForBacklogs } from "../../src/webhooks/delivery/backlog-room";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { noteHungry, takeHungry } from "../../src/webhooks/delivery/lanes/feed";
import { keepPlace, MOST_OF_TENANT, noteRest, Places, takePlace } from "../../src/webhooks/delivery/places";
import { SHARD } from "../support/shard";

/** One whose last delivery has just ended. */
function busy(tenantId: string) {
  const owned = { subscriptionId: crypto.randomUUID(), tenantId };
  noteRest(owned.subscriptionId, -1, 0);
  return owned;
}

afterEach(() => memory.clear());

const wait = (tenantId: string, subscriptionId: string, waiting = 1) => {
  for (let noted = 0; noted < waiting; noted += 1) noteHungry(SHARD, { tenantId, subscriptionId }, 0);
};
const taken = () => takeHungry(SHARD, 0).map(({ subscriptionId }) => subscriptionId);

test("the lanes of a tenant with thousands let one of another tenant go with the first", () => {
  for (let lanes = 0; lanes < 2_000; lanes += 1) wait("many", `many-${lanes}`);
  wait("few", "few");
  expect(taken().slice(0, 2)).toContain("few");
});

test("lanes are queued as there is room for what has not been claimed yet, of all tenants together", () => {
  for (let lanes = 0; lanes < 100; lanes += 1) wait(`tenant ${lanes}`, `lane-${lanes}`);
  const endClaiming = countClaiming(6, 0);
  for (const id of ["one", "other"]) keepPlace(id, busy("a"), 0);
  const room = roomForBacklogs();
  expect([room, taken().length]).toEqual([8, 8]);
  for (let kept = 0; kept < room; kept += 1) keepPlace(`kept ${kept}`, busy("a"), 0);
  expect(taken()).toEqual([]);
  endClaiming();
  expect(taken()).toHaveLength(6);
});

test("lanes of one tenant let one whose receiver answers at once go with the first", () => {
  for (let lanes = 0; lanes < 250; lanes += 1) wait("one", `slow-${lanes}`);
  memory.latenciesMs.set("quick", 1);
  wait("one", "quick", 2);
  expect(taken().slice(0, 2)).toContain("quick");
});

test("lanes are fed a message full at a time if they are wide", () => {
  const ends = [8, 128].flatMap((width) => {
    const lane = { tenantId: "one", subscriptionId: `width ${width}` };
    memory.widths.set(lane.subscriptionId, { width, narrowUntil: 0 });
    return Array.from({ length: width - 1 }, () => takePlace(lane, 0));
  });
  for (const width of [8, 128]) wait("one", `width ${width}`);
  expect(taken()).toEqual(["width 8"]);
  for (const end of ends.slice(-4)) end();
  wait("one", "width 128");
  expect(taken()).toEqual(["width 128"]);
});

test("lanes of one tenant go in the order of how many deliveries wait in them", () => {
  for (let lanes = 0; lanes < 250; lanes += 1) wait("one", `two-${lanes}`, 2);
  wait("one", "single");
  expect(taken()[0]).toBe("single");
});

test("lanes are not looked through, however many wait, with room, without it, and when the places are taken", () => {
  for (let lanes = 0; lanes < 6_000; lanes += 1) wait(`tenant ${lanes % 10}`, `lane-${lanes}`, 1 + (lanes % 3));
  const looks = vi.spyOn(Places.prototype, "ofWidth");
  const looked = () => {
    const count = looks.mock.calls.length;
    looks.mockClear();
    return count;
  };
  expect(taken()).toHaveLength(16);
  expect(looked()).toBeLessThan(100);
  for (const pool of ["share", "reserve"] as const)
    for (let tenant = 0; tenant < 10; tenant += 1) memory.places[pool].ofTenants.set(`tenant ${tenant}`, 160);
  expect(taken()).toEqual([]);
  expect(looked()).toBeLessThan(100);
  memory.places.reserve.ofTenants.clear();
  expect(taken()).toHaveLength(16);
  expect(looked()).toBeLessThan(100);
  countClaiming(16, 0);
  expect(taken()).toEqual([]);
  expect(looked()).toBe(0);
  expect([memory.hungry.size, memory.hungry.hasOf("tenant 3"), memory.hungry.hasOf("another")]).toEqual([
    6_000 - 32,
    true,
    false,
  ]);
  looks.mockRestore();
});

test("a lane that is idle goes before one that is sending, when only the reserve has places", () => {
  for (const id of ["sending", "idle"]) wait("one", id);
  takePlace({ tenantId: "one", subscriptionId: "sending" }, 0);
  memory.places.share.ofTenants.set("one", MOST_OF_TENANT);
  expect(taken()).toEqual(["idle"]);
});
