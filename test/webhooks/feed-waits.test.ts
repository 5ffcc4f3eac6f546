/** Polls of feeds that wait: what wakes and what ends them, and what they cost meanwhile. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { costOf } from "../support/cost";
import { createFeed, type Feed, onlyFeed, payloads, poll, post } from "../support/feeds";
import { publish } from "../support/receiver";

let person: Person;
let feed: Feed;
beforeAll(async () => {
  person = await signUpVerified();
});
beforeEach(async () => {
  feed = await onlyFeed(person);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Does something in each wait for events. No time passes in it: only an event can end it. Returns the pauses. */
function inEachWait(happens: (wait: number) => Promise<unknown>): number[] {
  vi.useFakeTimers({ toFake: ["Date"] });
  const pauses: number[] = [];
  let waits = 0;
  vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
    if (ms > 2_000) {
      waits += 1;
      await happens(waits);
      return Promise.withResolvers<never>().promise;
    }
    // Others are between two wakes of an isolate, or until the caller is asked for again.
    if (ms === 1_000 || ms === 2_000) pauses.push(ms);
    vi.setSystemTime(Date.now() + ms);
  });
  return pauses;
}

test("an answer that waits comes with the event, which wakes it", async () => {
  const { cursor } = await poll(feed);
  const pauses = inEachWait(() => publish(person, "late"));
  expect(payloads(await poll(feed, `?cursor=${cursor}&wait=20`))).toEqual(["late"]);
  expect(pauses).toEqual([]);
});

test("events of other types let an answer that waits read again at once, and then after pauses of 1 and 2 s", async () => {
  const narrow = await createFeed(person, ["Listed"]);
  const { cursor } = await poll(narrow);
  const pauses = inEachWait((wait) => publish(person, wait, { type: wait < 4 ? "Other" : "Listed" }));
  expect(payloads(await poll(narrow, `?cursor=${cursor}&wait=20`))).toEqual([4]);
  expect(pauses).toEqual([1_000, 2_000, 2_000]);
});

describe("an open poll", () => {
  /** Polls with a wait, during whose first pause something happens. Returns the answer and how long it has waited. */
  async function during(token: string, happens: () => Promise<unknown>) {
    const { cursor } = await poll(feed);
    vi.useFakeTimers({ toFake: ["Date"] });
    let waitedMs = 0;
    vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
      if (waitedMs === 0) await happens();
      waitedMs += ms;
      vi.setSystemTime(Date.now() + ms);
    });
    const { status } = await call("GET", `/feeds/${feed.id}/events?cursor=${cursor}&wait=20`, { token });
    return { status, waitedMs };
  }
  const rotate = () => post(person, `/feeds/${feed.id}/token`, { overlapSeconds: 0 });

  test("ends within 5 s of its token", async () => {
    const { status, waitedMs } = await during(feed.token, rotate);
    expect(status).toBe(401);
    expect(waitedMs).toBeLessThanOrEqual(5_000);
  });

  test("does not return an event that came after its token had ended", async () => {
    const ended = await during(feed.token, async () => {
      await rotate();
      await publish(person, "a secret");
    });
    expect(ended.status).toBe(401);
    expect(ended.waitedMs).toBeLessThanOrEqual(5_000);
  });

  test("of an API key ends with the key", async () => {
    const body = { name: "reader", scopes: ["webhook.read"] };
    const apiKey = (await post(person, "/api-keys", body)).body.data;
    const revoke = () => call("DELETE", `/api-keys/${apiKey.id}`, { token: person.token });
    expect((await during(apiKey.key, revoke)).status).toBe(401);
  });

  test("whose caller stays waits until its end, with one read of the feed, and asks for the caller three times", async () => {
    const { cursor } = await poll(feed);
    vi.useFakeTimers({ toFake: ["Date"] });
    const pauses = vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => void vi.setSystemTime(Date.now() + ms));
    const path = `/feeds/${feed.id}/events?cursor=${cursor}&wait=20`;
    expect(await costOf("GET", path, { token: feed.token })).toEqual({
      status: 200,
      trips: 1 + 1 + 3,
      rowsWritten: 0,
    });
    const waitedMs = pauses.mock.calls.reduce((sum, [ms]) => sum + ms, 0);
    expect(waitedMs).toBe(19_600);
  });
});
