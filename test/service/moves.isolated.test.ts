/** Moving a tenant to another delivery database: what follows it, and what stays. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { SYSTEM } from "../../src/base/schemas/actor";
import { continueMoves } from "../../src/service/moves/continue";
import { sweepLanes } from "../../src/webhooks/delivery/lanes/feed";
import { publishEvents } from "../../src/webhooks/events/publish";
import { continueReplays } from "../../src/webhooks/resend/replays/continue";
import { changeSubscription } from "../../src/webhooks/subscriptions/changes";
import { browse, changeCatalogue, openCatalogue } from "../support/catalogue";
import { call, eventually, PASSWORD, signUpVerified } from "../support/client";
import { countIn, DAY_MS, depsOf, failed, get, move, placeOf } from "../support/moves";
import { operate, operator } from "../support/operators";
import { purgeAll } from "../support/purges";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const OTHER = 1 - SHARD;
const otherDb = SHARD === 0 ? env.SHARD_1 : env.DB;

describe("a tenant that was moved", () => {
  test("publishes to its new database, and everything from before is read, counted and found with it", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url);
    const before = await publish(person, "before");
    await inbox.arrived(1);
    await endedAttempts(person, id, 1);
    await move(person);
    expect(await placeOf(person)).toEqual({ shard: OTHER, former_shard: SHARD });
    const after = await publish(person, "after");
    await inbox.arrived(2);
    await endedAttempts(person, id, 2);
    expect([await countIn(deliveryDb, "events", person), await countIn(otherDb, "events", person)]).toEqual([1, 1]);
    const events = await get(person, "/events");
    expect(events.data.map((event: { id: string }) => event.id)).toEqual([after.id, before.id]);
    const { data: log } = await get(person, `/webhooks/${id}/logs`);
    expect(log.map((attempt: { payload: unknown }) => attempt.payload)).toEqual(["after", "before"]);
    const first = await get(person, `/webhooks/${id}/logs?limit=1`);
    const second = await get(person, `/webhooks/${id}/logs?limit=1&cursor=${first.nextCursor}`);
    expect([...first.data, ...second.data].map(({ _id }: { _id: string }) => _id)).toEqual(
      log.map(({ _id }: { _id: string }) => _id),
    );
    for (const { _id } of log) expect((await get(person, `/webhooks/${id}/attempts/${_id}`)).data._id).toBe(_id);
    for (const event of [before, after]) {
      expect((await get(person, `/events/${event.id}`)).data.subscriptions).toMatchObject([{ state: "delivered" }]);
    }
    expect((await get(person, `/webhooks/${id}/metrics`)).data).toMatchObject({ total: 2, success: 2 });
    expect((await get(person, `/webhooks/${id}/stats`)).data).toMatchObject({ total: 2, success: 2 });
    expect((await get(person, "/stats")).data).toMatchObject({ total: 2, success: 2 });
    const exported = await get(person, "/tenant/export");
    expect(exported.data.events).toHaveLength(2);
    expect(exported.data.attempts).toHaveLength(2);
    const actions = (await get(person, "/audit?limit=100")).data.map((event: { action: string }) => event.action);
    expect(actions).toEqual(expect.arrayContaining(["webhook.created", "operator.tenant_moved"]));
  });

  test("gets the event of before the move for its Idempotency-Key, and 409 with another body", async () => {
    const person = await signUpVerified();
    await subscribe(person, newInbox("200").url);
    const send = (payload: string) =>
      call("POST", "/events", {
        token: person.token,
        body: { type: "OrderPaid", payload },
        headers: { "Idempotency-Key": "one" },
      });
    const first = await send("a");
    await move(person);
    const [again, other] = [await send("a"), await send("b")];
    expect([again.status, again.body.data]).toEqual([202, first.body.data]);
    expect(other.status).toBe(409);
    expect(await countIn(otherDb, "events", person)).toBe(0);
    const batch = [
      { type: "OrderPaid", payload: "a", idempotencyKey: "one" },
      { type: "OrderPaid", payload: "c", idempotencyKey: "two" },
    ];
    const { body } = await call("POST", "/events/batch", { token: person.token, body: { events: batch } });
    expect(body.data[0]).toEqual(first.body.data);
    expect(await countIn(otherDb, "events", person)).toBe(1);
  });

  test("sends its open deliveries from the former database, also those that are retried or replayed", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url);
    const old = await failed(person, id);
    await move(person);
    await publish(person, "after");
    await inbox.arrived(1);
    const retried = await call("POST", `/webhooks/${id}/deliveries/${old.id}/retry`, { token: person.token });
    expect(retried.status).toBe(200);
    await inbox.arrived(2);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const body = { since, which: "all", ratePerMinute: 6_000 };
    const started = await call("POST", `/webhooks/${id}/replay`, { token: person.token, body });
    expect(started.status).toBeLessThan(300);
    const ended = await eventually("the end of the replay", async () => {
      const { deps, ended: done } = await depsOf();
      for (const shard of [0, 1]) await continueReplays(deps, shard);
      await done();
      const { data } = await get(person, `/webhooks/${id}/replays/${started.body.data.id}`);
      return data.status === "finished" && data;
    });
    expect(ended.queued).toBe(2);
    expect((await get(person, `/webhooks/${id}/replays`)).data).toHaveLength(1);
    const received = await inbox.arrived(4);
    expect(received).toHaveLength(4);
  });

  test("changes its subscriptions in both databases", async () => {
    const person = await signUpVerified();
    const [changed, removed] = [
      await subscribe(person, newInbox("200").url),
      await subscribe(person, newInbox("200").url),
    ];
    await move(person);
    const { token } = person;
    const url = newInbox("200").url;
    await call("PATCH", `/webhooks/${changed}`, { token, body: { url, enabled: false } });
    await call("DELETE", `/webhooks/${removed}`, { token });
    const added = await subscribe(person, newInbox("200").url);
    const { results } = await deliveryDb
      .prepare(
        `SELECT id, url = ? AS isNew, enabled, is_deleted, secret_sealed = '' AS isErased FROM subscriptions
         WHERE tenant_id = ?`,
      )
      .bind(url, person.tenantId)
      .all();
    expect(new Map(results.map(({ id, ...row }) => [id, row]))).toEqual(
      new Map([
        [changed, { isNew: 1, enabled: 0, is_deleted: 0, isErased: 0 }],
        [removed, { isNew: 0, enabled: 1, is_deleted: 1, isErased: 1 }],
        [added, { isNew: 0, enabled: 1, is_deleted: 0, isErased: 0 }],
      ]),
    );
  });

  test("receives what it holds from both databases when a subscription is resumed", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url, { delivery: { onPause: "hold" } });
    const { token } = person;
    await call("POST", `/webhooks/${id}/pause`, { token });
    await publish(person, "before");
    await move(person);
    await publish(person, "after");
    const held = async (database: D1Database) =>
      database.prepare("SELECT count(*) AS n FROM outbox WHERE queue = ?").bind(id).first<number>("n");
    expect([await held(deliveryDb), await held(otherDb)]).toEqual([1, 1]);
    expect((await call("POST", `/webhooks/${id}/resume`, { token })).status).toBe(200);
    const bodies = await eventually("both", async () => {
      const { deps, ended } = await depsOf();
      for (const shard of [0, 1]) await sweepLanes(deps, shard);
      await ended();
      const list = await inbox.received();
      return list.length >= 2 && list.map(({ body }) => body).sort();
    });
    expect(bodies).toEqual(['"after"', '"before"']);
  });

  test("keeps its event types and their catalogue, and changes both", async () => {
    const person = await signUpVerified();
    const declare = (name: string) => call("POST", "/event-types", { token: person.token, body: { name } });
    await declare("before");
    const slug = await openCatalogue(person);
    await move(person);
    expect((await browse(`${slug}/before`)).status).toBe(200);
    expect((await declare("after")).status).toBe(201);
    const { text } = await browse(slug);
    expect([text.includes("before"), text.includes("after")]).toEqual([true, true]);
    const counts = await Promise.all([deliveryDb, otherDb].map((at) => countIn(at, "event_types", person)));
    expect(counts).toEqual([1, 2]);
    expect((await changeCatalogue(person, { public: false })).status).toBe(200);
    expect((await browse(slug)).status).toBe(404);
  });

  test("is removed from both databases when it is deleted", async () => {
    const person = await signUpVerified();
    await subscribe(person, newInbox("200").url);
    await publish(person, "before");
    await move(person);
    await publish(person, "after");
    expect((await call("DELETE", "/tenant", { token: person.token, body: { password: PASSWORD } })).status).toBe(200);
    await purgeAll();
    for (const database of [deliveryDb, otherDb]) {
      for (const table of ["subscriptions", "events", "outbox", "audit_events", "departed_tenants"]) {
        expect([table, await countIn(database, table, person)]).toEqual([table, 0]);
      }
    }
  });

  test("has nothing in its former database once retention has passed, and then can be moved again", async () => {
    const person = await signUpVerified();
    await subscribe(person, newInbox("200").url);
    await move(person);
    const { token } = await operator();
    const path = `/tenants/${person.tenantId}/move`;
    const again = await operate({ token }, "POST", path, { shard: SHARD });
    expect([again.status, again.body.code]).toEqual([409, "CONFLICT"]);
    const { deps, ended } = await depsOf(({ now }) => ({ now: () => now() + 40 * DAY_MS }));
    await continueMoves(deps, 0, "", () => false);
    await ended();
    expect(await placeOf(person)).toEqual({ shard: OTHER, former_shard: null });
    expect(await countIn(deliveryDb, "subscriptions", person)).toBe(0);
    const actions = (await get(person, "/audit?limit=100")).data.map((event: { action: string }) => event.action);
    expect(actions).toContain("webhook.created");
    expect((await operate({ token }, "GET", `/tenants/${person.tenantId}`)).body.data.move).toMatchObject({
      from: SHARD,
      to: OTHER,
      state: "ended",
    });
    expect((await operate({ token }, "POST", path, { shard: SHARD })).status).toBe(200);
    expect(await placeOf(person)).toEqual({ shard: SHARD, former_shard: OTHER });
    await publish(person, "back");
  });

  test("keeps its former database until retention has removed the attempts of the last delivery there", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url, { delivery: { onPause: "hold" } });
    await call("POST", `/webhooks/${id}/pause`, { token: person.token });
    await publish(person, "held");
    await move(person);
    const continueLater = async () => {
      const { deps, ended } = await depsOf(({ now }) => ({ now: () => now() + 40 * DAY_MS }));
      await continueMoves(deps, 0, "", () => false);
      await ended();
      return placeOf(person);
    };
    expect(await continueLater()).toEqual({ shard: OTHER, former_shard: SHARD });
    expect((await call("POST", `/webhooks/${id}/resume`, { token: person.token })).status).toBe(200);
    const { deps, ended } = await depsOf();
    await sweepLanes(deps, SHARD);
    await ended();
    expect((await inbox.arrived(1))[0]?.body).toBe('"held"');
    await endedAttempts(person, id, 1);
    expect(await countIn(deliveryDb, "outbox", person)).toBe(0);
    const ofSubscription = (statement: string, ...values: string[]) =>
      deliveryDb
        .prepare(`${statement} WHERE subscription_id = ?`)
        .bind(...values, id)
        .run();
    await ofSubscription("UPDATE attempts SET id = ?", newIdAt(Date.now() + 35 * DAY_MS));
    expect(await continueLater()).toEqual({ shard: OTHER, former_shard: SHARD });
    expect((await get(person, `/webhooks/${id}/logs`)).data).toMatchObject([{ payload: "held", status: "success" }]);
    await ofSubscription("DELETE FROM attempts");
    expect(await continueLater()).toEqual({ shard: OTHER, former_shard: null });
  });
});

test("the events of an orderKey are numbered on in the new database", async () => {
  const person = await signUpVerified();
  const numbered = async () =>
    (
      await call("POST", "/events", {
        token: person.token,
        body: { type: "OrderPaid", payload: 1, orderKey: "order 7" },
      })
    ).body.data.sequence;
  expect([await numbered(), await numbered()]).toEqual([1, 2]);
  await move(person);
  expect(await numbered()).toBe(3);
});

test("a request that began before the move writes nothing to the former database, and is answered 503", async () => {
  const person = await signUpVerified();
  const id = await subscribe(person, newInbox("200").url);
  await move(person);
  const { deps, ended } = await depsOf();
  const stale = { tenantId: person.tenantId, shard: SHARD, hasVerifiedOwner: true };
  const event = { type: "OrderPaid", payload: "1", correlationId: null, idempotencyKey: null };
  await expect(publishEvents(deps, stale, [event], 0)).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
    headers: { "Retry-After": "1" },
  });
  const acting = { ...stale, userId: "", actor: SYSTEM, permissions: new Set<never>() };
  await expect(changeSubscription(deps, acting, id, { name: "late" })).rejects.toMatchObject({
    code: "SERVICE_UNAVAILABLE",
  });
  await ended();
  expect(await countIn(deliveryDb, "events", person)).toBe(0);
  expect((await get(person, `/webhooks/${id}`)).data.name).toBe("test");
});

test.each([
  ["the present one", SHARD],
  ["one that is not bound", 7],
  ["none", "x"],
])("a move to %s is refused", async (_what, shard) => {
  const person = await signUpVerified();
  const { token } = await operator();
  const { status, body } = await operate({ token }, "POST", `/tenants/${person.tenantId}/move`, { shard });
  expect([status, body.details[0].path]).toEqual([400, "shard"]);
  expect(await placeOf(person)).toEqual({ shard: SHARD, former_shard: null });
});
