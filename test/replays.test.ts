/** Replays: what they send, that they send it once whatever fails, their rate, and what they refuse. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { firstIdAt, newIdAt } from "../src/db/ids";
import { createDeps, type Deps } from "../src/deps";
import { continueReplays } from "../src/replays/continue";
import { insertJob, type ReplaySpec } from "../src/replays/store";
import { call, eventually, type Person, signUpVerified } from "./support/client";
import { holding } from "./support/console";
import { endedAttempts, newInbox, publish, subscribe } from "./support/receiver";
import { deliveryDb, SHARD } from "./support/shard";

const HOUR_MS = 3_600_000;
const hourAgo = () => new Date(Date.now() - HOUR_MS).toISOString();

const replay = (person: Person, id: string, fields: object, headers: Record<string, string> = {}) =>
  call("POST", `/webhooks/${id}/replay`, { token: person.token, body: { since: hourAgo(), ...fields }, headers });

const act = (person: Person, id: string, action: string) =>
  call("POST", `/webhooks/${id}/${action}`, { token: person.token });

const finished = (person: Person, id: string, replayId: string) =>
  eventually("the end of the replay", async () => {
    await runOnce();
    const { body } = await call("GET", `/webhooks/${id}/replays/${replayId}`, { token: person.token });
    return body.data.status === "finished" && body.data;
  });

async function runOnce(bindings: object = {}, change: Partial<Deps> = {}): Promise<void> {
  const context = createExecutionContext();
  const deps = await createDeps({ ...env, ...bindings } as Env, context);
  try {
    await continueReplays({ ...deps, ...change }, SHARD);
  } finally {
    await waitOnExecutionContext(context);
  }
}

/** Starts a replay without its first page. */
async function start(person: Person, id: string, fields: Partial<ReplaySpec>): Promise<string> {
  const nowMs = Date.now();
  const spec: ReplaySpec = {
    which: "missing",
    since: nowMs - HOUR_MS,
    until: nowMs,
    eventTypes: null,
    includeBefore: false,
    ratePerMinute: 600,
    ...fields,
  };
  const inserted = await insertJob(
    await createDeps(env, createExecutionContext()),
    { tenantId: person.tenantId, shard: SHARD },
    id,
    { id: newIdAt(nowMs), cursor: firstIdAt(nowMs - HOUR_MS), pacedAt: nowMs - 5_000, spec },
    { key: null, requestHash: null },
    nowMs,
    0,
  );
  if (inserted.kind !== "inserted") throw new Error(inserted.kind);
  return inserted.job.id;
}

/** Stores events of a tenant without any deliveries. Returns their ids. */
async function storeEvents(person: Person, count: number, type = "OrderPaid", at = Date.now()): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => newIdAt(at - index)).sort();
  await deliveryDb
    .prepare(
      `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
       SELECT value, ?, ?, '1', 0, ? FROM json_each(?)`,
    )
    .bind(person.tenantId, type, at, JSON.stringify(ids))
    .run();
  return ids;
}

/** A subscription, and events from a pause of it. Its deliveries wait in a backlog, so nothing is sent. */
async function withMissing(count: number): Promise<{ person: Person; id: string; events: string[] }> {
  const person = await signUpVerified();
  const id = await subscribe(person, newInbox("200").url);
  await act(person, id, "pause");
  const events = await storeEvents(person, count);
  await act(person, id, "resume");
  await deliveryDb
    .prepare("UPDATE subscriptions SET has_backlog = 1, held_until = ? WHERE id = ?")
    .bind(Date.now() + HOUR_MS, id)
    .run();
  return { person, id, events };
}

const queuedEvents = async (id: string) =>
  (
    await deliveryDb
      .prepare("SELECT event_id AS id FROM outbox WHERE subscription_id = ? ORDER BY event_id")
      .bind(id)
      .all<{ id: string }>()
  ).results.map((row) => row.id);

const jobRow = (replayId: string) =>
  deliveryDb
    .prepare("SELECT state, queued FROM replay_jobs WHERE id = ?")
    .bind(replayId)
    .first<{ state: string; queued: number }>();

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
    const started = await start(person, id, { which: "missing", includeBefore: true });
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

describe("each event is sent once", () => {
  test.each([1, 2, 3].flatMap((place) => (["before", "after"] as const).map((when) => [place, when] as const)))(
    "if call %i to the database is killed %s its effect",
    async (place, when) => {
      const { person, id, events } = await withMissing(12);
      const started = await start(person, id, { which: "missing", ratePerMinute: 60 });
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
    const started = await start(person, id, { which: "missing", ratePerMinute: 120 });
    for (let round = 0; round < 5; round += 1) {
      const now = () => Date.now() + round * 5_000;
      await Promise.all(Array.from({ length: 10 }, () => runOnce({}, { now })));
    }
    expect(await jobRow(started)).toEqual({ state: "finished", queued: 30 });
    const second = await start(person, id, { which: "missing" });
    await runOnce();
    expect(await jobRow(second)).toEqual({ state: "finished", queued: 0 });
    expect(await queuedEvents(id)).toEqual(events);
  });

  test("by a replay of all, with ten runs at once", async () => {
    const { person, id, events } = await withMissing(30);
    await start(person, id, { which: "all", ratePerMinute: 120 });
    for (let round = 0; round < 5; round += 1) {
      const now = () => Date.now() + round * 5_000;
      await Promise.all(Array.from({ length: 10 }, () => runOnce({}, { now })));
    }
    expect(await queuedEvents(id)).toEqual(events);
  });
});

test("a replay keeps its rate, however often it runs, and does not save it up", async () => {
  const { person, id } = await withMissing(200);
  await start(person, id, { which: "missing", ratePerMinute: 60 });
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
  const started = await start(person, id, { which: "missing", ratePerMinute: 6_000 });
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
  const first = await start(person, id, { which: "missing", ratePerMinute: 60 });
  await act(person, id, "pause");
  await runOnce();
  expect(await jobRow(first)).toEqual({ state: "running", queued: 0 });
  await act(person, id, "resume");
  const stopped = await call("DELETE", `/webhooks/${id}/replays/${first}`, { token });
  expect(stopped.body.data).toMatchObject({ id: first, status: "stopped", endedAt: expect.any(String) });
  await runOnce();
  expect(await queuedEvents(id)).toEqual([]);
  const second = await start(person, id, { which: "missing" });
  const list = (await call("GET", `/webhooks/${id}/replays`, { token })).body;
  expect(list.data.map((job: { id: string }) => job.id)).toEqual([second, first]);
  await call("DELETE", `/webhooks/${id}`, { token });
  await runOnce();
  expect(await jobRow(second)).toEqual({ state: "stopped", queued: 0 });
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
    await start(person, id, { which: "missing" });
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
    const starts = await Promise.allSettled(Array.from({ length: 51 }, () => start(person, id, { which: "missing" })));
    expect(starts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

test("the end of a replay is told once, with its state and count", async () => {
  const { person, id } = await withMissing(12);
  const inbox = newInbox("200");
  await subscribe(person, inbox.url, { events: ["postern.replay.finished"] });
  await start(person, id, { ratePerMinute: 60 });
  for (let run = 0; run < 4; run += 1) await runOnce({}, { now: () => Date.now() + run * 5_000 });
  const stopped = await start(person, id, { which: "all" });
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
  expect(preview.html).toContain("<strong>3 deliveries</strong> would be sent.");
  const refused = await browser.get(`/webhooks/${id}/replays/preview?${new URLSearchParams({ ...form, types: "a*" })}`);
  expect([refused.status, refused.html.includes('id="types-error"')]).toEqual([400, true]);
  await browser.post(`/webhooks/${id}/replays`, form);
  await eventually("the replay is on the page", async () => {
    const { html } = await browser.get(`/webhooks/${id}/replays/list`);
    return html.includes("Missing: 3 deliveries queued") && html.includes("100 % done");
  });
  const started = await start(person, id, { which: "all" });
  await browser.follow(await browser.post(`/webhooks/${id}/replays/${started}/stop`));
  expect(await jobRow(started)).toEqual({ state: "stopped", queued: 0 });
});
