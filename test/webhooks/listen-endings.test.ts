/** Listeners: what ends the connection of one, and what becomes of a delivery when its object is evicted. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { DAY_MS } from "../../src/base/time";
import { call, eventually, signUpVerified } from "../support/client";
import { consumeBatch, type Key, makeDue, messageFor } from "../support/engine";
import { connect, newTicket, openListener, payloadOf } from "../support/listener";
import { operate, operator } from "../support/operators";
import { joinTenant } from "../support/people";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { newPortalToken } from "../support/portal";
import { endedAttempts, publish } from "../support/receiver";
import { deliveryDb } from "../support/shard";
import { enrol } from "../support/two-factor";

const objectOf = (id: string) => env.LISTEN_SOCKET.getByName(id);

/** Connects a listener, ends something, and returns the code with which the service closes the connection then. */
async function closedAfter({ _id, ticket }: { _id: string; ticket: string }, end: () => Promise<{ status: number }>) {
  const { ready, closed, texts, socket } = await connect(_id, ticket);
  await ready;
  // While all is well, the check leaves the connection open.
  await runDurableObjectAlarm(objectOf(_id));
  socket.send("ping");
  await eventually("a pong", async () => texts.includes("pong"));
  expect((await end()).status).toBe(200);
  await runDurableObjectAlarm(objectOf(_id));
  return closed;
}

test("the next check of a connection is at most 5 s away, after each one too", async () => {
  const { token } = await signUpVerified();
  const { _id, ticket } = await openListener(token);
  await (await connect(_id, ticket)).ready;
  const nextMs = () =>
    runInDurableObject(objectOf(_id), async (_, { storage }) => ((await storage.getAlarm()) ?? Infinity) - Date.now());
  expect(await nextMs()).toBeLessThanOrEqual(5_000);
  await runDurableObjectAlarm(objectOf(_id));
  expect(await nextMs()).toBeLessThanOrEqual(5_000);
});

describe("the next check closes the connection with 4003 when", () => {
  test("the tenant requires a second factor that its user lacks", async () => {
    const owner = await signUpVerified();
    const member = await joinTenant(owner, "developer");
    await enrol(owner);
    const body = { requireSecondFactor: "all", graceDays: 0 };
    const require = () => call("PATCH", "/tenant/security", { token: owner.token, body });
    expect(await closedAfter(await openListener(member.token), require)).toBe(4003);
  });

  test("the tenant is suspended", async () => {
    const { token, tenantId } = await signUpVerified();
    const op = await operator();
    const suspend = () => operate(op, "POST", `/tenants/${tenantId}/suspend`, { reason: "Unpaid since May" });
    expect(await closedAfter(await openListener(token), suspend)).toBe(4003);
  });

  test("the tenant is deleted", async () => {
    const { token } = await signUpVerified();
    const remove = () => call("DELETE", "/tenant", { token, body: {} });
    expect(await closedAfter(await openListener(token), remove)).toBe(4003);
  });

  test("the platform key is revoked", async () => {
    const { tenantId } = await signUpVerified();
    const { id, key } = await newPlatformKey();
    const opened = await callAs(key, tenantId, "POST", "/listen", { events: ["*"] });
    expect(opened.status).toBe(201);
    const { token } = await operator();
    const revoke = () => call("DELETE", `/platform/keys/${id}`, { token });
    expect(await closedAfter(opened.body.data, revoke)).toBe(4003);
  });

  test("the portal token is revoked", async () => {
    const { token } = await signUpVerified();
    const portal = await newPortalToken(token, ["webhook.create", "webhook.read"]);
    const revoke = () => call("DELETE", `/portal-links/${portal.id}`, { token });
    expect(await closedAfter(await openListener(portal.token), revoke)).toBe(4003);
  });

  test("the platform key no longer sees the tenant", async () => {
    const { tenantId } = await signUpVerified();
    const { id, key } = await newPlatformKey();
    const opened = await callAs(key, tenantId, "POST", "/listen", { events: ["*"] });
    const confine = async () => {
      const other = await signUpVerified();
      await env.DB.prepare("UPDATE platform_keys SET tenants = ? WHERE id = ?")
        .bind(JSON.stringify([other.tenantId]), id)
        .run();
      return { status: 200 };
    };
    expect(await closedAfter(opened.body.data, confine)).toBe(4003);
  });
});

describe("an object whose listener is gone stores nothing any more", () => {
  afterEach(() => void vi.useRealTimers());

  const objectsState = (id: string) =>
    runInDurableObject(objectOf(id), async (_, { storage }) => ({
      stored: [...storage.kv.list()].length,
      alarmMs: await storage.getAlarm(),
    }));
  const EMPTY = { stored: 0, alarmMs: null };

  async function connected() {
    const { token } = await signUpVerified();
    const { _id, ticket } = await openListener(token);
    const connection = await connect(_id, ticket);
    await connection.ready;
    // As a purge does, which tells no object of it.
    const remove = () => deliveryDb.prepare("DELETE FROM subscriptions WHERE id = ?").bind(_id).run();
    return { _id, ...connection, remove };
  }

  test("while its socket is open", async () => {
    const { _id, closed, remove } = await connected();
    await remove();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 46_000 });
    await runDurableObjectAlarm(objectOf(_id));
    expect(await closed).toBe(4004);
    expect(await objectsState(_id)).toEqual(EMPTY);
  });

  test("a day after its socket has closed", async () => {
    const { _id, socket, remove } = await connected();
    socket.close();
    const sockets = () => runInDurableObject(objectOf(_id), (_, state) => state.getWebSockets().length);
    await eventually("no socket", async () => (await sockets()) === 0);
    await runDurableObjectAlarm(objectOf(_id));
    expect((await objectsState(_id)).alarmMs).toBeGreaterThan(Date.now() + DAY_MS);
    await remove();
    await runDurableObjectAlarm(objectOf(_id));
    expect(await objectsState(_id)).toEqual(EMPTY);
  });
});

describe("a delivery that is on its way", () => {
  /** A listener that gets an event and says nothing until it is told to. */
  async function silent() {
    const person = await signUpVerified();
    const { _id, ticket } = await openListener(person.token);
    const connection = await connect(_id, ticket, () => null);
    await connection.ready;
    await publish(person, { order: 42 });
    await eventually("the event", async () => connection.events.length === 1);
    return { person, _id, ...connection };
  }

  test("is answered although its object is being evicted, and the connection outlives that", async () => {
    const { person, _id, events, socket } = await silent();
    const answer = (number: number) =>
      socket.send(JSON.stringify({ t: "answer", id: events[number]?.id, status: 200 + number }));
    const evicted = evictDurableObject(objectOf(_id));
    answer(0);
    await evicted;
    expect(await endedAttempts(person, _id, 1)).toMatchObject([{ status: "success", attemptCount: 1 }]);
    await publish(person, { order: 43 });
    await eventually("another event", async () => events.length === 2);
    answer(1);
    const [newest] = await endedAttempts(person, _id, 2);
    expect(newest).toMatchObject({ status: "success", responseCode: 201, attemptCount: 1 });
    expect(events.map(payloadOf)).toEqual([{ order: 42 }, { order: 43 }]);
  });

  test("when its object dies is sent again and has used up no attempt", async () => {
    const { person, _id, events } = await silent();
    const key = await eventually("claimed", () => keyOf(_id));
    await runInDurableObject(objectOf(_id), (_, state) => state.abort("killed")).catch(() => undefined);
    await eventually("released", async () => ((await keyOf(_id))?.dueAt ?? 0) > key.dueAt);
    const second = await connect(_id, await newTicket(person.token, _id));
    await second.ready;
    await consumeBatch([messageFor(await makeDue(key))]);
    const [attempt] = await endedAttempts(person, _id, 1);
    expect(attempt).toMatchObject({ status: "success", attemptCount: 1 });
    const deliveries = [...events, ...second.events].map(({ headers }) => headers["webhook-id"]);
    expect(deliveries).toEqual([key.id, key.id]);
  });
});

/** The key of the only delivery of a listener; null when it has ended. */
const keyOf = (id: string) =>
  deliveryDb
    .prepare(
      `SELECT queue, due_at AS dueAt, id, subscription_id AS subscriptionId, bytes FROM outbox
        WHERE subscription_id = ?`,
    )
    .bind(id)
    .first<Key>();
