/** Platform events: what a subscription of the product receives. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { call, logIn, newEmail, PASSWORD, signUpVerified } from "../support/client";
import { operate, operator } from "../support/operators";
import { joinTenant } from "../support/people";
import {
  beginFeed,
  inPlatform,
  listen,
  openPlatform,
  published,
  register,
  run,
  send,
  typesOf,
} from "../support/platform-feed";
import { enrol } from "../support/two-factor";

beforeAll(openPlatform);
beforeEach(beginFeed);
afterEach(() => {
  vi.restoreAllMocks();
});

describe("a subscription of the platform", () => {
  test("receives a registration as a user, a tenant and a member, in this order, without secrets", async () => {
    const { inbox } = await listen(["*"]);
    const person = await register();
    await run();
    const [user, tenant, member] = await published(person.userId, person.tenantId);
    const me = (await send("GET", `/users/${person.userId}`)).body.data;
    const { tenants, ...record } = me;
    expect(user).toMatchObject({ type: "user.created", payload: { sequence: 1, user: { ...record, sequence: 1 } } });
    expect(tenant).toMatchObject({ type: "tenant.created", payload: { sequence: 1, tenant: { id: person.tenantId } } });
    expect(member?.type).toBe("member.added");
    expect(member?.payload).toEqual({
      sequence: 2,
      at: user?.payload.at,
      member: {
        tenantId: person.tenantId,
        tenantExternalId: null,
        userId: person.userId,
        userExternalId: null,
        role: "owner",
      },
    });
    expect(me.sequence).toBe(2);
    const received = await inbox.arrived(3);
    expect(received.map(({ body }) => JSON.parse(body).sequence).sort()).toEqual([1, 1, 2]);
    expect(received[0]?.headers["x-correlation-id"]).toBe(user?.correlationId);
    const stored = await env.DB.prepare("SELECT password_hash FROM users WHERE id = ?").bind(person.userId).first();
    for (const secret of [person.token, person.refreshToken, PASSWORD, String(stored?.password_hash), "198.18."]) {
      expect(JSON.stringify(received.map(({ body }) => body))).not.toContain(secret);
    }
  });

  test("hears of every change of a user by the user and the product, once each", async () => {
    await listen();
    const person = await register();
    const { token } = person;
    await call("PATCH", "/auth/me", { token, body: { name: "Ada" } });
    await enrol(person);
    const path = `/users/${person.userId}`;
    await send("PATCH", path, { externalId: `u-${person.userId}` });
    await send("POST", `${path}/sessions/revoke`, { reason: "r" });
    await send("POST", `${path}/suspend`, { reason: "r" });
    await send("POST", `${path}/suspend`, { reason: "r" });
    await send("POST", `${path}/resume`, { reason: "r" });
    await send("DELETE", path, { deleteTenants: true });
    for (let runs = 0; runs < 3; runs += 1) await run();
    const events = await published(person.userId);
    // Its record is gone, so that only the deletion is left to tell.
    expect(typesOf(events)).toEqual(["user.deleted"]);
    expect(events[0]?.payload).toEqual({
      sequence: 1,
      at: expect.any(String),
      id: person.userId,
      externalId: `u-${person.userId}`,
    });
    expect(typesOf(await published(person.tenantId))).toEqual(["tenant.deleted"]);
  });

  test("sees each of these changes when it is published in time", async () => {
    await listen();
    const person = await register();
    const path = `/users/${person.userId}`;
    const verified = async () =>
      env.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?").bind(person.userId).run();
    const steps: [string, () => Promise<unknown>][] = [
      ["user.updated", () => call("PATCH", "/auth/me", { token: person.token, body: { name: "Ada" } })],
      ["user.updated", () => enrol(person)],
      ["user.updated", () => send("PATCH", path, { externalId: `u-${person.userId}`, emailVerified: true })],
      ["session.revoked", () => send("POST", `${path}/sessions/revoke`, { reason: "r" })],
      ["user.suspended", () => send("POST", `${path}/suspend`, { reason: "r" })],
      ["user.resumed", () => send("POST", `${path}/resume`, { reason: "r" })],
      ["user.deleted", () => send("DELETE", path, { deleteTenants: true })],
    ];
    await verified();
    await run();
    const before = (await published(person.userId)).length;
    for (const [, change] of steps) {
      await change();
      await run();
    }
    const events = (await published(person.userId)).slice(before);
    expect(typesOf(events)).toEqual(steps.map(([type]) => type));
    expect(events.map(({ payload }) => payload.sequence)).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(events[3]?.payload.session).toEqual({ id: null, userId: person.userId, tenantId: null });
    expect(events[4]?.payload.user.suspended.reason).toBe("r");
  });

  test("hears of operators' actions and of suspended and deleted tenants once", async () => {
    await listen();
    const [person, op] = [await register(), await operator()];
    const reason = { reason: "r" };
    await operate(op, "POST", `/people/${person.userId}/suspend`, reason);
    await operate(op, "POST", `/people/${person.userId}/resume`, reason);
    await operate(op, "POST", `/tenants/${person.tenantId}/suspend`, reason);
    await run();
    expect((await published(person.tenantId)).at(-1)?.payload.tenant.suspended).toMatchObject(reason);
    await operate(op, "POST", `/tenants/${person.tenantId}/resume`, reason);
    await send("PATCH", `/tenants/${person.tenantId}`, { externalId: `t-${person.tenantId}` });
    await run();
    await send("DELETE", `/tenants/${person.tenantId}`);
    await run();
    const types = typesOf(await published(person.tenantId)).filter((type) => type.startsWith("tenant."));
    expect(types).toEqual(["tenant.created", "tenant.suspended", "tenant.resumed", "tenant.updated", "tenant.deleted"]);
    expect((await published(person.tenantId)).at(-1)?.payload).toEqual({
      sequence: 5,
      at: expect.any(String),
      id: person.tenantId,
      externalId: `t-${person.tenantId}`,
    });
    const ofPerson = typesOf(await published(person.userId)).filter((type) => type.startsWith("user."));
    expect(ofPerson).toEqual(["user.created", "user.suspended", "user.resumed"]);
  });

  test("hears of members who are invited, added, changed and removed", async () => {
    await listen(["member.added", "member.role_changed", "member.removed", "user.created"]);
    const owner = await signUpVerified();
    const guest = await joinTenant(owner, "viewer");
    await run();
    await call("PATCH", `/members/${guest.userId}`, { token: owner.token, body: { role: "developer" } });
    await run();
    await call("DELETE", `/members/${guest.userId}`, { token: owner.token });
    await run();
    const made = (await send("POST", "/users", { email: newEmail(), externalId: `x-${guest.userId}` })).body.data;
    await send("POST", `/tenants/${owner.tenantId}/members`, { user: made.id, role: "admin" });
    await run();
    expect(typesOf(await published(guest.userId)).slice(0, 4)).toEqual([
      "user.created",
      "member.added",
      "member.role_changed",
      "member.removed",
    ]);
    const [, added, changed, removed] = (await published(guest.userId)).map(({ payload }) => payload.member);
    expect([added.role, added.previousRole]).toEqual(["viewer", undefined]);
    expect([changed.role, changed.previousRole]).toEqual(["developer", "viewer"]);
    expect(removed.role).toBeNull();
    expect((await published(made.id)).at(-1)?.payload.member).toMatchObject({
      tenantId: owner.tenantId,
      userExternalId: `x-${guest.userId}`,
      role: "admin",
    });
  });

  test("receives ended sessions only if it names them", async () => {
    const { inbox } = await listen(["*"]);
    const person = await logIn(await register());
    await call("POST", "/auth/logout", { token: person.token, body: { refreshToken: person.refreshToken } });
    await run();
    expect(typesOf(await published(person.userId))).not.toContain("session.revoked");
    const { inbox: named } = await listen(["session.revoked"]);
    const again = await logIn(person);
    await call("POST", "/auth/logout", { token: again.token, body: { refreshToken: again.refreshToken } });
    await run();
    const [received] = await named.arrived(1);
    const { session } = JSON.parse(received?.body ?? "");
    expect(session).toEqual({ id: expect.any(String), userId: person.userId, tenantId: person.tenantId });
    const types = (await inbox.arrived(3)).map(({ headers }) => headers["x-webhook-event"]);
    expect(types).not.toContain("session.revoked");
  });

  test("receives the types that a wildcard matches, but no ended sessions by one", async () => {
    const { inbox } = await listen(["user.*", "session.*"]);
    const person = await logIn(await register());
    await call("POST", "/auth/logout", { token: person.token, body: { refreshToken: person.refreshToken } });
    await run();
    expect(typesOf(await published(person.userId))).toEqual(["user.created"]);
    const types = (await inbox.arrived(1)).map(({ headers }) => headers["x-webhook-event"]);
    expect(types).toEqual(["user.created"]);
  });

  test("receives only what fits its filter, beside one that receives all that its wildcard matches", async () => {
    const [wanted, other] = [await register(), await register()];
    const filter = { $or: [{ "payload.user.id": wanted.userId }, { "payload.member.userId": wanted.userId }] };
    const { inbox, id } = await listen(["user.*", "member.*"], { delivery: { filter } });
    const { inbox: all } = await listen(["user.*"]);
    for (const { token } of [wanted, other]) await call("PATCH", "/auth/me", { token, body: { name: "Renamed" } });
    await run();
    const receivers = async (userId: string) => {
      const [event] = await published(userId);
      return (await inPlatform("GET", `/events/${event?.id}`)).body.data;
    };
    expect(await receivers(wanted.userId)).toMatchObject({ type: "user.updated", deliveries: 2 });
    expect(await receivers(other.userId)).toMatchObject({ deliveries: 1, filtered: 1 });
    const outcomes = (await receivers(other.userId)).subscriptions as { webhookId: string }[];
    expect(outcomes.find(({ webhookId }) => webhookId === id)).toMatchObject({ state: "skipped", reason: "filtered" });
    expect((await inbox.arrived(1)).map(({ body }) => JSON.parse(body).user.id)).toEqual([wanted.userId]);
    expect(await all.arrived(2)).toHaveLength(2);
  });

  test("receives nothing of the time before it, and nobody can publish there", async () => {
    const before = await register();
    await listen();
    await run();
    expect(await published(before.userId)).toEqual([]);
    const forged = await inPlatform("POST", "/events", { type: "user.created", payload: {} });
    expect(forged.status).toBe(403);
  });
});
