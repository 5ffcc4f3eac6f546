/** Replays: what they send, what they refuse, and how they are shown. */
import { describe, expect, test } from "vitest";
import { call, eventually, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import {
  act,
  finished,
  HOUR_MS,
  hourAgo,
  jobRow,
  replay,
  runOnce,
  startReplay,
  storeEvents,
  withMissing,
} from "../support/replays";
import { deliveryDb } from "../support/shard";

describe("a replay sends", () => {
  test("missing events: those of a pause, once each and under their own ids, and nothing when repeated", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url);
    const seen = await publish(person, 0);
    await inbox.arrived(1);
    await act(person, id, "pause");
    const missed = [await publish(person, 1), await publish(person, 2)];
    await act(person, id, "resume");
    expect((await replay(person, id, { which: "missing", dryRun: true })).body.data).toEqual({
      matched: 2,
      isPartial: false,
    });
    const answer = await replay(person, id, { which: "missing" });
    expect([answer.status, answer.body.data]).toMatchObject([
      202,
      { webhookId: id, status: "running", which: "missing" },
    ]);
    expect(await finished(person, id, answer.body.data.id)).toMatchObject({ queued: 2 });
    const received = await inbox.arrived(3);
    const idOf = (event: { id: string }) => `${event.id.slice(0, 23)}-${id.slice(24)}`;
    expect(received.map(({ headers }) => headers["webhook-id"]).sort()).toEqual([seen, ...missed].map(idOf).sort());
    const again = await replay(person, id, { which: "missing" });
    expect(await finished(person, id, again.body.data.id)).toMatchObject({ queued: 0 });
    await eventually("the event is delivered", async () => {
      const { data } = (await call("GET", `/events/${missed[0]?.id}`, { token: person.token })).body;
      return data.subscriptions[0].state === "delivered";
    });
  });

  test("missing events from before a change of types, and with includeBefore those from before the subscription", async () => {
    const person = await signUpVerified();
    const [early] = await storeEvents(person, 1, "A", Date.now() - 120_000);
    const id = await subscribe(person, newInbox("200").url, { events: ["B"] });
    const [other, late] = [...(await storeEvents(person, 1, "B")), ...(await storeEvents(person, 1, "A"))];
    await call("PATCH", `/webhooks/${id}`, { token: person.token, body: { events: ["A"] } });
    const count = async (fields: object) => (await replay(person, id, { ...fields, dryRun: true })).body.data.matched;
    expect(await count({ which: "missing" })).toBe(1);
    expect(await count({ which: "missing", includeBefore: true })).toBe(2);
    expect(await count({ which: "missing", eventTypes: ["B"] })).toBe(0);
    expect(
      await count({ which: "missing", until: new Date(Date.now() - 60_000).toISOString(), includeBefore: true }),
    ).toBe(1);
    const started = await startReplay(person, id, { which: "missing", includeBefore: true });
    await runOnce();
    expect(await jobRow(started)).toEqual({ state: "finished", queued: 2 });
    const trails = await deliveryDb
      .prepare("SELECT event_id AS id FROM attempts WHERE subscription_id = ?")
      .bind(id)
      .all();
    const events = new Set(trails.results.map((row) => row.id));
    expect(events).toEqual(new Set([early, late]));
    expect(events).not.toContain(other);
  });

  test("failed deliveries under the same ids, each at most once even if it fails again", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("500");
    const id = await subscribe(person, inbox.url, { delivery: { retry: { schedule: [] } } });
    await publish(person, 1);
    await publish(person, 2);
    await endedAttempts(person, id, 2);
    const first = await inbox.received();
    const answer = await replay(person, id, { which: "failed" });
    expect(await finished(person, id, answer.body.data.id)).toMatchObject({ queued: 2 });
    await endedAttempts(person, id, 4);
    await runOnce();
    const received = await inbox.received();
    expect(received).toHaveLength(4);
    const idsOf = (list: typeof received) => list.map(({ headers }) => headers["webhook-id"]).sort();
    expect(idsOf(received.slice(2))).toEqual(idsOf(first));
  });

  test("all events as new deliveries, which name their replay", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url);
    await publish(person, { order: 1 });
    const [before] = await inbox.arrived(1);
    await endedAttempts(person, id, 1);
    const answer = await replay(person, id, { which: "all" });
    const [, again] = await inbox.arrived(2);
    expect(again?.body).toBe(before?.body);
    expect(again?.headers["webhook-id"]).not.toBe(before?.headers["webhook-id"]);
    expect([before?.headers["webhook-replay"], again?.headers["webhook-replay"]]).toEqual([
      undefined,
      answer.body.data.id,
    ]);
    const [attempt] = await endedAttempts(person, id, 2);
    const detail = (await call("GET", `/webhooks/${id}/attempts/${attempt._id}`, { token: person.token })).body.data;
    expect(detail).toMatchObject({ kind: "replay", headers: { "webhook-replay": answer.body.data.id } });
    expect(detail.attempts).toHaveLength(1);
  });
});

describe("a replay is refused", () => {
  test("for a period that is not within the retention, naming the oldest moment", async () => {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("200").url);
    const old = await replay(person, id, { which: "all", since: "2020-01-01T00:00:00Z" });
    expect([old.status, old.body.details[0].path]).toEqual([400, "since"]);
    const named = Date.parse(old.body.details[0].message.match(/\d{4}-\S+Z/)[0]);
    expect(Math.abs(named - (Date.now() - 30 * 24 * HOUR_MS))).toBeLessThan(60_000);
    for (const fields of [
      { until: new Date(Date.now() + 60_000).toISOString() },
      { until: "2020-01-01T00:00:00Z" },
      { ratePerMinute: 6_001 },
      { ratePerMinute: 0 },
      { which: "some" },
      { eventTypes: [] },
    ]) {
      expect((await replay(person, id, { which: "all", ...fields })).status).toBe(400);
    }
  });

  test("while another one runs, while the subscription is paused, and for another body with the same key", async () => {
    const { person, id } = await withMissing(1);
    const key = { "Idempotency-Key": "again" };
    const since = hourAgo();
    const first = await replay(person, id, { since, which: "missing" }, key);
    await finished(person, id, first.body.data.id);
    const repeated = await replay(person, id, { since, which: "missing" }, key);
    expect([repeated.status, repeated.body.data.id]).toEqual([202, first.body.data.id]);
    expect((await replay(person, id, { since, which: "all" }, key)).status).toBe(409);
    expect((await replay(person, id, { since, which: "all" }, { "Idempotency-Key": "a b" })).status).toBe(400);
    await startReplay(person, id, { which: "missing" });
    expect((await replay(person, id, { which: "all" })).body.message).toContain("is running");
    await act(person, id, "pause");
    await runOnce();
    await deliveryDb.prepare("UPDATE replay_jobs SET state = 'finished' WHERE subscription_id = ?").bind(id).run();
    expect((await replay(person, id, { which: "all" })).body).toMatchObject({
      code: "CONFLICT",
      message: "Resume the webhook first.",
    });
  });

  test("fifty times out of fifty-one at once", async () => {
    const { person, id } = await withMissing(0);
    await deliveryDb.prepare("UPDATE subscriptions SET enabled = 1 WHERE id = ?").bind(id).run();
    const starts = await Promise.allSettled(
      Array.from({ length: 51 }, () => startReplay(person, id, { which: "missing" })),
    );
    expect(starts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

test("the end of a replay is told once, with its state and count", async () => {
  const { person, id } = await withMissing(12);
  const inbox = newInbox("200");
  await subscribe(person, inbox.url, { events: ["postern.replay.finished"] });
  await startReplay(person, id, { ratePerMinute: 60 });
  for (let run = 0; run < 4; run += 1) await runOnce({}, { now: () => Date.now() + run * 5_000 });
  const stopped = await startReplay(person, id, { which: "all" });
  for (let times = 0; times < 2; times += 1) {
    await call("DELETE", `/webhooks/${id}/replays/${stopped}`, { token: person.token });
  }
  await inbox.arrived(2);
  const received = (await inbox.received()).map(({ body }) => JSON.parse(body));
  expect(received).toHaveLength(2);
  expect(received).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ webhookId: id, state: "finished", queued: 12 }),
      expect.objectContaining({ webhookId: id, state: "stopped", queued: 0, replayId: stopped }),
    ]),
  );
});

test("the console counts, starts, shows and stops a replay", async () => {
  const { person, id } = await withMissing(3);
  const browser = await holding(person);
  const form = { which: "missing", period: "all", types: "", rate: "60" };
  const preview = await browser.get(`/webhooks/${id}/replays/preview?${new URLSearchParams(form)}`);
  expect(preview.html).toContain("3 deliveries would be sent.");
  const refused = await browser.get(`/webhooks/${id}/replays/preview?${new URLSearchParams({ ...form, types: "a*" })}`);
  expect([refused.status, refused.html.includes('id="types-error"')]).toEqual([400, true]);
  await browser.post(`/webhooks/${id}/replays`, form);
  await eventually("the replay is on the page", async () => {
    const { html } = await browser.get(`/webhooks/${id}/replays/list`);
    return html.includes("Missing: 3 deliveries queued, 0 delivered, 3 waiting") && html.includes("100 % done");
  });
  const started = await startReplay(person, id, { which: "all" });
  await browser.follow(await browser.post(`/webhooks/${id}/replays/${started}/stop`));
  expect(await jobRow(started)).toEqual({ state: "stopped", queued: 0 });
});
