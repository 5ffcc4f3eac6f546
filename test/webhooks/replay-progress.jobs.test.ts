/** Replays send each event once, whatever fails, keep their rate, and wait and end with their subscription. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { call } from "../support/client";
import { act, jobRow, queuedEvents, runOnce, startReplay, withMissing } from "../support/replays";
import { deliveryDb, SHARD } from "../support/shard";

afterEach(() => void vi.useRealTimers());

/** The delivery database, whose call number `place` fails before or after its effect. */
function failing(place: number, when: "before" | "after"): object {
  let calls = 0;
  const flaky = new Proxy(deliveryDb, {
    get: (target, property) => {
      const value = Reflect.get(target, property);
      if (property !== "batch") return typeof value === "function" ? value.bind(target) : value;
      return async (statements: D1PreparedStatement[]) => {
        calls += 1;
        if (calls === place && when === "before") throw new Error("killed");
        const results = await target.batch(statements);
        if (calls === place) throw new Error("killed");
        return results;
      };
    },
  });
  return { [SHARD === 0 ? "DB" : "SHARD_1"]: flaky };
}

describe("each event is sent once", () => {
  test.each([1, 2, 3].flatMap((place) => (["before", "after"] as const).map((when) => [place, when] as const)))(
    "if call %i to the database is killed %s its effect",
    async (place, when) => {
      const { person, id, events } = await withMissing(12);
      const started = await startReplay(person, id, { which: "missing", ratePerMinute: 60 });
      for (let run = 0; run < 6; run += 1) {
        const now = () => Date.now() + run * 5_000;
        await runOnce(run < 3 ? failing(place, when) : {}, { now }).catch(() => undefined);
      }
      expect(await jobRow(started)).toEqual({ state: "finished", queued: 12 });
      expect(await queuedEvents(id)).toEqual(events);
    },
  );

  test("by ten runs at once, and by a second replay", async () => {
    const { person, id, events } = await withMissing(30);
    const started = await startReplay(person, id, { which: "missing", ratePerMinute: 120 });
    for (let round = 0; round < 5; round += 1) {
      const now = () => Date.now() + round * 5_000;
      await Promise.all(Array.from({ length: 10 }, () => runOnce({}, { now })));
    }
    expect(await jobRow(started)).toEqual({ state: "finished", queued: 30 });
    const second = await startReplay(person, id, { which: "missing" });
    await runOnce();
    expect(await jobRow(second)).toEqual({ state: "finished", queued: 0 });
    expect(await queuedEvents(id)).toEqual(events);
  });

  test("by a replay of all, with ten runs at once", async () => {
    const { person, id, events } = await withMissing(30);
    await startReplay(person, id, { which: "all", ratePerMinute: 120 });
    for (let round = 0; round < 5; round += 1) {
      const now = () => Date.now() + round * 5_000;
      await Promise.all(Array.from({ length: 10 }, () => runOnce({}, { now })));
    }
    expect(await queuedEvents(id)).toEqual(events);
  });
});

test("a replay keeps its rate, however often it runs, and does not save it up", async () => {
  const { person, id } = await withMissing(200);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  await startReplay(person, id, { which: "missing", ratePerMinute: 60 });
  const startMs = Date.now();
  const counts: number[] = [];
  for (const seconds of [0, 0, 5, 5, 10, 70]) {
    await runOnce({}, { now: () => startMs + seconds * 1000 });
    counts.push((await queuedEvents(id)).length);
  }
  expect(counts).toEqual([5, 5, 10, 10, 15, 30]);
});

test("a replay queues only what the tenant's budget allows, and goes on when there is room", async () => {
  const { person, id } = await withMissing(30);
  const started = await startReplay(person, id, { which: "missing", ratePerMinute: 6_000 });
  await runOnce({ TENANT_DELIVERIES_PER_MINUTE: "7" });
  expect((await jobRow(started))?.state).toBe("running");
  const queued = (await queuedEvents(id)).length;
  expect([queued > 0, queued <= 7]).toEqual([true, true]);
  await runOnce({}, { now: () => Date.now() + 5_000 });
  expect(await jobRow(started)).toEqual({ state: "finished", queued: 30 });
});

test("a replay waits while its subscription is paused, and ends when it is stopped or the subscription is deleted", async () => {
  const { person, id } = await withMissing(20);
  const { token } = person;
  const first = await startReplay(person, id, { which: "missing", ratePerMinute: 60 });
  await act(person, id, "pause");
  await runOnce();
  expect(await jobRow(first)).toEqual({ state: "running", queued: 0 });
  await act(person, id, "resume");
  const stopped = await call("DELETE", `/webhooks/${id}/replays/${first}`, { token });
  expect(stopped.body.data).toMatchObject({ id: first, status: "stopped", endedAt: expect.any(String) });
  await runOnce();
  expect(await queuedEvents(id)).toEqual([]);
  const second = await startReplay(person, id, { which: "missing" });
  const list = (await call("GET", `/webhooks/${id}/replays`, { token })).body;
  expect(list.data.map((job: { id: string }) => job.id)).toEqual([second, first]);
  await call("DELETE", `/webhooks/${id}`, { token });
  await runOnce();
  expect(await jobRow(second)).toEqual({ state: "stopped", queued: 0 });
});
