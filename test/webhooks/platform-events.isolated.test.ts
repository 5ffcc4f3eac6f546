/** The events of the platform: what tells the product of users, tenants and members, in order and once each. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createDb } from "../../src/platform/db/client";
import { newIdAt } from "../../src/platform/db/ids";
import { createDeps } from "../../src/platform/deps";
import { MINUTE_MS } from "../../src/platform/time";
import { publishPlatform } from "../../src/webhooks/platform-events/feed";
import { call, logIn, newAddress, newEmail, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { faultyDatabase } from "../support/faults/bindings";
import { operate, operator } from "../support/operators";
import { invite, joinTenant } from "../support/people";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { purgeAll, purgeOnce } from "../support/purges";
import { newInbox } from "../support/receiver";
import { enrol } from "../support/two-factor";

const KILLED = new Error("killed");
type Moment = "before" | "after";

/** Runs the feed once. `intercept` is asked before and after each call to D1, and can throw `KILLED`. */
async function run(
  intercept: (moment: Moment, name: string) => void | Promise<void> = () => {},
  now: () => number = Date.now,
) {
  const context = createExecutionContext();
  const deps = await createDeps(env, context);
  const made = async <T>(name: string, effect: () => Promise<T>) => {
    await intercept("before", name);
    const result = await effect();
    await intercept("after", name);
    return result;
  };
  const db = createDb(faultyDatabase(env.DB, { call: made }), deps.trips);
  try {
    await publishPlatform({ ...deps, db, now }, () => false);
  } catch (error) {
    if (error !== KILLED) throw error;
  }
  await waitOnExecutionContext(context);
  return deps.trips.trips;
}

let key: string;
const send = (method: string, path: string, body?: unknown) => callAs(key, "", method, `/platform${path}`, body);
const inPlatform = (method: string, path: string, body?: unknown) => callAs(key, "platform", method, path, body);

/** A subscription of the platform. */
async function listen(events: readonly string[] = ["*", "session.revoked"]) {
  const inbox = newInbox("200");
  const body = { name: "product", url: inbox.url, events, secret: "a-signing-secret" };
  const { status, body: made } = await inPlatform("POST", "/webhooks", body);
  if (status !== 201) throw new Error(`subscribe answered ${status} ${JSON.stringify(made)}`);
  return { inbox, id: made.data._id as string };
}

// biome-ignore lint/suspicious/noExplicitAny: the payloads have many shapes, and each assertion states its own
type Published = { id: string; type: string; correlationId: string | null; payload: any };

/** What is published, in the order of the feed; only what mentions one of `ids`, if there are any. */
async function published(...ids: readonly string[]): Promise<Published[]> {
  const { results } = await env.DB.prepare(
    `SELECT id, type, payload, correlation_id AS correlationId FROM events WHERE tenant_id = 'platform'
      ORDER BY created_at, payload ->> '$.sequence', type DESC`,
  ).all<{ id: string; type: string; payload: string; correlationId: string | null }>();
  return results
    .filter(({ payload }) => ids.length === 0 || ids.some((id) => payload.includes(id)))
    .map((row) => ({ ...row, payload: JSON.parse(row.payload) }));
}

const typesOf = (events: readonly Published[]) => events.map(({ type }) => type);
const register = () => signUp({ headers: { "cf-connecting-ip": newAddress() } });
const count = (sql: string) => env.DB.prepare(`SELECT count(*) AS n FROM ${sql}`).first<number>("n");

beforeAll(async () => {
  key = (await newPlatformKey()).key;
});

beforeEach(async () => {
  await env.DB.batch([
    env.DB.prepare("DELETE FROM subscription_events WHERE tenant_id = 'platform'"),
    env.DB.prepare("DELETE FROM platform_feed"),
  ]);
});

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

  test("receives nothing of the time before it, and nobody can publish there", async () => {
    const before = await register();
    await listen();
    await run();
    expect(await published(before.userId)).toEqual([]);
    const forged = await inPlatform("POST", "/events", { type: "user.created", payload: {} });
    expect(forged.status).toBe(403);
  });
});

describe("without a subscription of the platform", () => {
  test("nothing is stored, and a run is one call", async () => {
    const events = await count("events WHERE tenant_id = 'platform'");
    const person = await register();
    expect(await run()).toBe(1);
    expect(await count("platform_feed")).toBe(0);
    expect(await count("events WHERE tenant_id = 'platform'")).toBe(events);
    expect((await send("GET", `/users/${person.userId}`)).body.data.sequence).toBe(0);
    await call("DELETE", "/auth/me", { token: person.token, body: { password: PASSWORD, deleteTenants: true } });
    expect(await count(`audit_events WHERE tenant_id = 'platform' AND target_id = '${person.userId}'`)).toBe(0);
  });

  test("the feed ends with the last one, and begins again with the next", async () => {
    const { id } = await listen();
    await inPlatform("DELETE", `/webhooks/${id}`);
    await run();
    expect(await count("platform_feed")).toBe(0);
    const missed = await register();
    await listen();
    const seen = await register();
    await run();
    expect(await published(missed.userId)).toEqual([]);
    expect(await published(seen.userId)).not.toEqual([]);
  });
});

describe("each event is published once", () => {
  test.each<Moment>(["before", "after"])("when runs are killed %s a call", async (moment) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    await listen();
    const person = await register();
    for (let calls = 1; calls < 7; calls += 1) {
      let left = calls;
      await run((at) => {
        if (at === moment) left -= 1;
        if (left <= 0) throw KILLED;
      });
    }
    await run();
    const events = await published(person.userId, person.tenantId);
    expect(typesOf(events)).toEqual(["user.created", "tenant.created", "member.added"]);
  });

  test("when ten runs overlap", async () => {
    await listen();
    const people = [await register(), await register(), await register()];
    await Promise.all(Array.from({ length: 10 }, () => run()));
    for (const { userId } of people) {
      const events = await published(userId);
      expect(events.map(({ payload }) => payload.sequence)).toEqual([1, 2]);
    }
  });

  test("also of one that was recorded late, with an older id", async () => {
    await listen();
    const lateMs = Date.now() + 1;
    const person = await register();
    await run();
    const before = (await published(person.userId)).length;
    await record(person, [newIdAt(lateMs)]);
    await run();
    await run();
    const events = await published(person.userId);
    expect(events.length).toBe(before + 1);
    expect(Math.max(...events.map(({ payload }) => payload.sequence))).toBe(before + 1);
  });
});

test("no page of a run passes over what is written late, with an id of a page that was read", async () => {
  await listen();
  const person = await register();
  await run();
  const before = (await published(person.userId)).length;
  const fromMs = Date.now();
  await record(
    person,
    Array.from({ length: 250 }, (_, n) => newIdAt(fromMs + n)),
  );
  let now = fromMs + 2 * MINUTE_MS;
  const afterMs = now + 100;
  await run(
    async (moment, name) => {
      if (moment === "before" || name !== "readSources" || now === afterMs) return;
      now = afterMs;
      await record(person, [newIdAt(fromMs + 50)]);
    },
    () => now,
  );
  expect(now).toBe(afterMs);
  await run();
  expect((await published(person.userId)).length).toBe(before + 251);
});

/** Records changes of a person's name. */
const record = ({ tenantId, userId }: Person, ids: readonly string[]) =>
  env.DB.prepare(
    `INSERT INTO audit_events (tenant_id, id, action, actor_kind, actor_id, target_kind, target_id)
      SELECT ?, value, 'auth.name_changed', 'user', ?, 'user', ? FROM json_each(?)`,
  )
    .bind(tenantId, userId, userId, JSON.stringify(ids))
    .run();

describe("the numbers of a subject", () => {
  test("rise by one with each of 3,000 changes, in the order of the log, whatever the pages are", async () => {
    await listen();
    const person = await register();
    await run();
    const [last] = (await published(person.userId)).slice(-1);
    const start = last?.payload.sequence;
    const fromMs = Date.now();
    // Three of each millisecond, and a page of one.
    const ids = Array.from({ length: 3_000 }, (_, n) => newIdAt(fromMs + (n < 2_700 ? Math.floor(n / 3) : 900)));
    await record(person, ids);
    await run();
    const events = (await published(person.userId)).filter(({ payload }) => payload.sequence > start);
    expect(events.length).toBe(3_000);
    const sorted = events.toSorted((a, b) => a.payload.sequence - b.payload.sequence);
    expect(sorted.map(({ payload }) => payload.sequence)).toEqual(ids.map((_, n) => start + 1 + n));
    const times = sorted.map(({ payload }) => payload.at);
    expect(times).toEqual(times.toSorted());
    expect(new Set(events.map(({ id }) => id)).size).toBe(3_000);
  });

  test("show a gap for an event that a subscription did not name", async () => {
    await listen(["user.updated"]);
    await listen(["user.created", "member.added"]);
    const person = await register();
    await call("PATCH", "/auth/me", { token: person.token, body: { name: "Ada" } });
    await run();
    const updated = (await published(person.userId)).find(({ type }) => type === "user.updated");
    expect(updated?.payload.sequence).toBe(3);
    expect((await send("GET", `/users/${person.userId}`)).body.data.sequence).toBe(3);
  });
});

describe("deleting", () => {
  test("an account leaves only ids in what was published, and its purge waits for the feed", async () => {
    await listen();
    const person = await register();
    await call("PATCH", "/auth/me", { token: person.token, body: { name: "Ada Lovelace" } });
    await run();
    await call("DELETE", "/auth/me", { token: person.token, body: { password: PASSWORD, deleteTenants: true } });
    for (const minutes of [3, 5, 7]) await purgeOnce(minutes);
    expect(await count(`purges WHERE subject_id IN ('${person.userId}', '${person.tenantId}')`)).toBe(2);
    await run(undefined, () => Date.now() + 70 * MINUTE_MS);
    expect(typesOf(await published(person.userId)).at(-1)).toBe("user.deleted");
    await purgeAll(1);
    const events = await published(person.userId);
    const users = events.filter(({ payload }) => payload.user !== undefined);
    expect(users.length).toBeGreaterThan(1);
    for (const { payload } of users) expect(payload.user).toEqual({ id: person.userId, externalId: null });
    expect(JSON.stringify(events)).not.toContain(person.email);
    expect(JSON.stringify(events)).not.toContain("Lovelace");
    expect(await count(`platform_sequences WHERE subject_id IN ('${person.userId}', '${person.tenantId}')`)).toBe(0);
  });

  test("an invited member's account is one event, with the tenant left alone", async () => {
    await listen();
    const owner = await signUpVerified();
    await invite(owner, newEmail(), "viewer");
    const guest = await joinTenant(owner, "viewer");
    await run();
    await call("DELETE", "/auth/me", { token: guest.token, body: { password: PASSWORD } });
    await run();
    expect(typesOf(await published(guest.userId)).at(-1)).toBe("user.deleted");
    expect(typesOf(await published(guest.userId)).filter((type) => type === "user.deleted")).toHaveLength(1);
    expect(typesOf(await published(owner.tenantId))).not.toContain("tenant.deleted");
  });
});
