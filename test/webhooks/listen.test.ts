/** Listeners: deliveries that go to a program over a socket, and wait while there is none. */
import { createExecutionContext, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { verifyDelivery } from "../../src/sdk/verify";
import { findTenant } from "../../src/tenancy/tenants/store";
import { eventFrame } from "../../src/webhooks/delivery/frames";
import { endIdleListeners } from "../../src/webhooks/listen/idle";
import { noteConnection } from "../../src/webhooks/listen/store";
import { call, eventually, logIn, type Person, signUp, signUpVerified } from "../support/client";
import { askForSocket, connect, newTicket, openListener, payloadOf } from "../support/listener";
import { joinTenant } from "../support/people";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";

/** Each test has one of its own, because requests of a user are limited. */
let person: Person;
beforeEach(async () => {
  person = await signUpVerified();
});

const state = async (id: string) =>
  (await call("GET", "/listen", { token: person.token })).body.data.find((one: { _id: string }) => one._id === id);

describe("deliveries", () => {
  test("an event goes over the socket as a signed delivery, and the answer is in the log", async () => {
    const { _id, ticket, secret } = await openListener(person.token);
    const { events, ready } = await connect(_id, ticket, () => ({
      status: 201,
      headers: { "X-Request-Id": "a\nb: c", "Set-Cookie": "session=1" },
      body: "taken",
    }));
    await ready;
    await publish(person, { order: 42 });
    const [attempt] = await endedAttempts(person, _id, 1);
    expect(attempt).toMatchObject({ status: "success", responseCode: 201, responseBody: "taken", attemptCount: 1 });
    expect(attempt.responseHeaders).toEqual({ "x-request-id": "a b: c" });
    const [event] = events;
    if (!event) throw new Error("no event");
    expect(event.id).toBe(attempt._id);
    const { headers, body } = event;
    const request = new Request("https://localhost/", { method: "POST", headers, body: atob(body) });
    expect(await verifyDelivery(request, secret)).toMatchObject({ type: "OrderPaid", payload: { order: 42 } });
  });

  test("what comes before the socket is held, uses no attempt, and comes oldest first", async () => {
    const { _id, ticket } = await openListener(person.token);
    for (const payload of [1, 2, 3, 4, 5]) await publish(person, payload);
    await call("POST", `/webhooks/${_id}/test`, { token: person.token, body: {} });
    await scheduler.wait(1_500);
    const { body } = await call("GET", `/webhooks/${_id}/logs`, { token: person.token });
    // The test, which is not held, is tried once a second.
    expect(body.data.filter((row: { status: string }) => row.status !== "pending")).toEqual([]);
    const { events } = await connect(_id, ticket);
    const attempts = await endedAttempts(person, _id, 6);
    expect(attempts.map((attempt: { attemptCount: number }) => attempt.attemptCount)).toEqual([1, 1, 1, 1, 1, 1]);
    // Three at a time, and the test whenever it is tried.
    const numbers = events.map(payloadOf).filter((payload) => typeof payload === "number");
    expect(numbers.slice(0, 3).toSorted()).toEqual([1, 2, 3]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(6);
  });

  test("an answer with an error, a refusal and a silence are failed attempts", async () => {
    const { _id, ticket } = await openListener(person.token);
    const answers = [{ error: "connect ECONNREFUSED" }, { status: 503 }];
    await connect(_id, ticket, () => answers.shift() ?? null);
    await publish(person, 1);
    expect((await endedAttempts(person, _id, 1))[0]).toMatchObject({ status: "failed", error: "connect ECONNREFUSED" });
    await publish(person, 2);
    expect((await endedAttempts(person, _id, 2))[0]).toMatchObject({ error: "status 503", responseCode: 503 });
    await publish(person, 3);
    expect((await endedAttempts(person, _id, 3, 25_000))[0]).toMatchObject({ status: "failed", error: "timeout" });
  });

  test("a socket that is lost before the answer interrupts the attempt: it is sent again as the same one", async () => {
    const { _id, ticket } = await openListener(person.token);
    const first = await connect(_id, ticket, () => null);
    await publish(person, "again");
    await eventually("an event", async () => first.events.length > 0);
    first.socket.close(1000, "gone");
    await eventually("held", async () => (await state(_id)).connected === false);
    const second = await connect(_id, await newTicket(person.token, _id));
    const [attempt] = await endedAttempts(person, _id, 1);
    expect([attempt.attemptCount, attempt.status]).toEqual([1, "success"]);
    expect(second.events[0]?.headers["webhook-id"]).toBe(first.events[0]?.headers["webhook-id"]);
  });

  test("at most 100 deliveries are on their way; one more waits, and those of a lost socket are interrupted", async () => {
    const { _id, ticket } = await openListener(person.token);
    const { socket, events, ready } = await connect(_id, ticket, () => null);
    await ready;
    const object = env.LISTEN_SOCKET.getByName(_id);
    const passing = Array.from({ length: 101 }, (_, n) => object.pass(`a${n}`, eventFrame(`a${n}`, {}, "{}")));
    expect(await Promise.race(passing)).toBe("full");
    await eventually("100 frames", async () => events.length === 100);
    socket.close(1000, "gone");
    const passed = await Promise.all(passing);
    expect(Object.groupBy(passed, String)).toMatchObject({ full: { length: 1 }, lost: { length: 100 } });
  });

  test("20 sockets are killed under load, and every event arrives", { timeout: 120_000 }, async () => {
    const { _id } = await openListener(person.token);
    const wanted = Array.from({ length: 60 }, (_, number) => number);
    const handled = new Set<number>();
    const load = (async () => {
      for (const number of wanted) await publish(person, number);
    })();
    for (let kills = 0; kills < 20; kills += 1) {
      let left = 2;
      const { socket } = await connect(_id, await newTicket(person.token, _id), (event) => {
        if (left === 0) return null;
        left -= 1;
        handled.add(payloadOf(event));
        return { status: 200 };
      });
      await scheduler.wait(60 * (kills % 4));
      socket.close(1000, "killed");
    }
    await load;
    await connect(_id, await newTicket(person.token, _id), (event) => {
      handled.add(payloadOf(event));
      return { status: 200 };
    });
    await eventually("every event", async () => handled.size === wanted.length, 60_000);
    const { body } = await call("GET", `/webhooks/${_id}/logs?limit=100`, { token: person.token });
    expect(body.data.filter((row: { status: string }) => row.status === "failed")).toEqual([]);
  });
});

describe("the socket", () => {
  test("a ticket works once, of 10 at the same time too, for its own listener only, and must be ours", async () => {
    const [one, other] = [await openListener(person.token), await openListener(person.token)];
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => askForSocket(one._id, `postern.listen.v1, ${one.ticket}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([101, ...Array.from({ length: 9 }, () => 401)]);
    const refused = async (id: string, protocols: string) => (await askForSocket(id, protocols)).status;
    expect(await refused(one._id, `postern.listen.v1, ${other.ticket}`)).toBe(401);
    expect(await refused(other._id, other.ticket)).toBe(401);
    expect(await refused(other._id, `postern.listen.v1, ${other.ticket}x`)).toBe(401);
    expect(await refused(crypto.randomUUID(), "postern.listen.v1, x")).toBe(401);
    const upgraded = await askForSocket(other._id, `postern.listen.v1, ${other.ticket}`, {});
    expect(upgraded.status).toBe(400);
    const selected = await askForSocket(other._id, `postern.listen.v1, ${other.ticket}`);
    expect([selected.status, selected.headers.get("sec-websocket-protocol")]).toEqual([101, "postern.listen.v1"]);
  });

  test("a newer socket closes the older one; closing the listener closes its socket", async () => {
    const { _id, ticket } = await openListener(person.token);
    const first = await connect(_id, ticket);
    await first.ready;
    const second = await connect(_id, await newTicket(person.token, _id));
    await second.ready;
    expect(await first.closed).toBe(4001);
    expect((await state(_id)).connected).toBe(true);
    expect((await call("DELETE", `/listen/${_id}`, { token: person.token })).body).toEqual({
      message: "Listener closed",
    });
    expect(await second.closed).toBe(4004);
    expect(await state(_id)).toBeUndefined();
  });

  test("frames that are not JSON text end it; others are ignored; ping is answered", async () => {
    const { _id, ticket } = await openListener(person.token);
    const { socket, texts, ready, closed } = await connect(_id, ticket);
    await ready;
    socket.send("ping");
    await eventually("a pong", async () => texts.includes("pong"));
    for (const text of ['{"t":"other"}', "[]", '{"t":"answer","id":"x","status":999}']) socket.send(text);
    await publish(person, 1);
    await endedAttempts(person, _id, 1);
    socket.send("no json");
    expect(await closed).toBe(4008);
    const binary = await connect(_id, await newTicket(person.token, _id));
    binary.socket.send(new Uint8Array([1]));
    expect(await binary.closed).toBe(4008);
    const long = await connect(_id, await newTicket(person.token, _id));
    long.socket.send(JSON.stringify({ t: "x".repeat(1024 * 1024) }));
    expect(await long.closed).toBe(4008);
  });
});

describe("a listener", () => {
  test("ends at the next check when its session, its key, its role or its tenant has ended", async () => {
    const alarm = (id: string) => runDurableObjectAlarm(env.LISTEN_SOCKET.getByName(id));
    const closedAfter = async (token: string, end: () => Promise<unknown>) => {
      const { _id, ticket } = await openListener(token);
      const { ready, closed } = await connect(_id, ticket);
      await ready;
      await alarm(_id);
      expect(await Promise.race([closed, scheduler.wait(300).then(() => "open")])).toBe("open");
      await end();
      await alarm(_id);
      return closed;
    };
    const leaver = await joinTenant(person, "developer");
    const demoted = await joinTenant(person, "developer");
    const { body } = await call("POST", "/api-keys", {
      token: person.token,
      body: { name: "k", scopes: ["webhook.create", "webhook.read"] },
    });
    const byPerson = { token: person.token };
    const asRoles = { body: { role: "viewer" }, ...byPerson };
    expect(await closedAfter(leaver.token, () => call("POST", "/auth/logout-all", { token: leaver.token }))).toBe(4003);
    expect(await closedAfter(demoted.token, () => call("PATCH", `/members/${demoted.userId}`, asRoles))).toBe(4003);
    const revoked = () => call("DELETE", `/api-keys/${body.data.id}`, byPerson);
    expect(await closedAfter(body.data.key, revoked)).toBe(4003);
  });

  test("to the audit log ends when its owner may not read that any more, and gets no ticket", async () => {
    const admin = await joinTenant(person, "admin");
    const { _id, ticket } = await openListener(admin.token, { events: ["postern.*"] });
    const { ready, closed } = await connect(_id, ticket);
    await ready;
    const body = { role: "developer" };
    expect((await call("PATCH", `/members/${admin.userId}`, { token: person.token, body })).status).toBe(200);
    const { token } = await logIn(admin);
    expect((await call("POST", `/listen/${_id}/ticket`, { token, body: {} })).status).toBe(403);
    await runDurableObjectAlarm(env.LISTEN_SOCKET.getByName(_id));
    expect(await closed).toBe(4003);
  });

  test("costs at most two rows for each socket that is opened or lost, and none while nothing changes", async () => {
    const { _id } = await openListener(person.token);
    const deps = await createDeps(env, createExecutionContext());
    const tenant = await findTenant(deps, person.tenantId);
    if (!tenant) throw new Error("no tenant");
    const rowsOf = async (isConnected: boolean) => {
      const before = deps.trips.rowsWritten;
      expect((await noteConnection(deps, tenant, _id, isConnected, deps.now())).isFound).toBe(true);
      return deps.trips.rowsWritten - before;
    };
    const rows = [await rowsOf(true), await rowsOf(true), await rowsOf(false), await rowsOf(false)];
    expect([Math.max(...rows) <= 2, rows[1], rows[3]]).toEqual([true, 0, 0]);
  });

  test("ends 24 hours after its last connection", async () => {
    const [old, fresh] = [await openListener(person.token), await openListener(person.token)];
    const deps = await createDeps(env, createExecutionContext());
    const tenant = await findTenant(deps, person.tenantId);
    const db = tenant?.shard === 1 ? env.SHARD_1 : env.DB;
    await db.prepare("UPDATE subscriptions SET updated_at = updated_at - 86400001 WHERE id = ?").bind(old._id).run();
    for (const shard of deps.shards.numbers) await endIdleListeners(deps, shard, "", () => false);
    expect(await state(old._id)).toBeUndefined();
    expect(await state(fresh._id)).toMatchObject({ connected: false });
    const { body } = await call("GET", "/audit?action=listen.closed", { token: person.token });
    expect(body.data[0]).toMatchObject({ actor: { kind: "system" } });
  });

  test("is in no list of subscriptions, and only its own routes change it", async () => {
    const url = newInbox("ok").url;
    const own = await subscribe(person, url);
    const { _id } = await openListener(person.token, { events: ["OrderPaid"], name: "Ada's laptop" });
    const listed = (await call("GET", "/webhooks", { token: person.token })).body.data;
    expect(listed.map((one: { _id: string }) => one._id)).toContain(own);
    expect(listed.map((one: { _id: string }) => one._id)).not.toContain(_id);
    expect((await call("GET", `/webhooks/${_id}`, { token: person.token })).status).toBe(200);
    const ask = async (method: string, path: string, body: object = {}) =>
      (await call(method, `/webhooks/${_id}${path}`, { token: person.token, body })).status;
    expect(await ask("PATCH", "", { name: "other" })).toBe(409);
    expect(await ask("PATCH", "", { url: "https://example.com/other" })).toBe(409);
    expect(await ask("POST", "/pause")).toBe(409);
    expect(await ask("POST", "/resume")).toBe(409);
    expect(await ask("POST", "/secret/rotate")).toBe(409);
    expect(await ask("DELETE", "/secret/previous")).toBe(409);
    expect(await ask("DELETE", "")).toBe(409);
    expect(await state(_id)).toMatchObject({ name: "Ada's laptop", events: ["OrderPaid"], connected: false });
  });

  test("belongs to its user, of whom there are 5 at most, with 20 requests at once", async () => {
    const other = await joinTenant(person, "developer");
    const made = await Promise.all(
      Array.from({ length: 20 }, () => call("POST", "/listen", { token: other.token, body: { events: ["*"] } })),
    );
    const statuses = made.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, 201, 201, 201, 201, ...Array.from({ length: 15 }, () => 409)]);
    const id = made.find(({ status }) => status === 201)?.body.data._id;
    const byPerson = { token: person.token };
    expect((await call("POST", `/listen/${id}/ticket`, { ...byPerson, body: {} })).status).toBe(404);
    expect((await call("DELETE", `/listen/${id}`, byPerson)).status).toBe(404);
    expect((await call("GET", "/listen", byPerson)).body.data).toEqual([]);
    expect((await call("GET", "/listen", { token: other.token })).body.data).toHaveLength(5);
    const stranger = await signUp();
    expect((await call("DELETE", `/listen/${id}`, { token: stranger.token })).status).toBe(404);
  });
});
