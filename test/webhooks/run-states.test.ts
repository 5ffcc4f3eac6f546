/** The states of a delivery in a run, and what an isolate remembers. */
import { describe, expect, test } from "vitest";
import type { ShardKey } from "../../src/base/messages";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import type { Claimed } from "../../src/webhooks/delivery/run-states";
import { RunStates } from "../../src/webhooks/delivery/run-states";
import { startSend } from "../../src/webhooks/delivery/send-load";

describe("the states of a delivery in a run", () => {
  const key: ShardKey = { shard: 0, queue: "", dueAt: 1, id: "a delivery", subscriptionId: "a subscription", bytes: 1 };
  const delivery = key as Claimed;

  test("follow each other as they are drawn", () => {
    const states = new RunStates();
    expect([states.add([key]), states.add([key])]).toEqual([[key], []]);
    states.claim(delivery);
    states.send(delivery);
    expect([states.waiting, states.claimed, states.sending, states.areFinal]).toEqual([[], [], [delivery], false]);
    states.record(delivery);
    expect(states.areFinal).toBe(true);
  });

  test("cannot be skipped or repeated", () => {
    const states = new RunStates();
    expect(() => states.claim(delivery)).toThrow();
    states.add([key]);
    expect(() => states.send(delivery)).toThrow();
    states.handBack(key);
    expect(() => states.claim(delivery)).toThrow("handed back");
  });
});

test("an isolate that forgets what it remembers counts on from nothing, whatever ends afterwards", () => {
  const end = startSend("a subscription", Date.now);
  memory.clear();
  end();
  expect([memory.places.share.inAll, memory.loads.size, memory.counted.size]).toEqual([0, 0, 0]);
});
