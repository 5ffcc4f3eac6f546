/** The audit log: what it records, when it does not, and who may read it. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { call, logIn, PASSWORD, type Person, signUp, signUpVerified, verify } from "../support/client";
import { callUnder } from "../support/overrides";
import { invite, joinTenant } from "../support/people";

const eventsOf = async ({ token }: Pick<Person, "token">, query = "") =>
  (await call("GET", `/audit${query}`, { token })).body.data;

const actionsOf = async (person: Pick<Person, "token">, query = "") =>
  (await eventsOf(person, query)).map(({ action }: { action: string }) => action);

test("an event says who did what, from where, with which request", async () => {
  const person = await signUp();
  const headers = {
    "cf-connecting-ip": "198.51.100.7",
    "user-agent": "x".repeat(300),
    "x-request-id": "request-1234",
  };
  const body = { name: "key", scopes: ["webhook.read"] };
  const made = await call("POST", "/api-keys", { token: person.token, body, headers });
  const [event] = await eventsOf(person);
  expect(event).toEqual({
    id: expect.any(String),
    at: expect.stringMatching(/^20.*Z$/),
    action: "api_key.created",
    actor: { kind: "user", id: person.userId, name: person.email },
    target: { kind: "api-key", id: made.body.data.id },
    ip: "198.51.100.7",
    userAgent: "x".repeat(256),
    // Not the caller's: nobody may make an event look like part of somebody else's request.
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    sessionId: expect.any(String),
    meta: { scopes: ["webhook.read"] },
  });
});

test("a user agent that would be cut within a character has 256 characters", async () => {
  const owner = await signUp();
  const headers = { "user-agent": `${"x".repeat(255)}😀` };
  await call("POST", "/api-keys", { token: owner.token, body: { name: "key", scopes: ["webhook.read"] }, headers });
  expect((await eventsOf(owner))[0].userAgent).toBe(`${"x".repeat(255)}\ufffd`);
});

test("a change that is not made is not recorded", async () => {
  const owner = await signUp();
  const { token } = owner;
  const missing = "0190a0a0-0000-7000-8000-000000000000";
  await call("DELETE", `/api-keys/${missing}`, { token });
  await call("DELETE", `/auth/sessions/${missing}`, { token });
  await call("DELETE", `/invitations/${missing}`, { token });
  await call("DELETE", `/members/${owner.userId}`, { token });
  await call("PATCH", `/members/${owner.userId}`, { token, body: { role: "owner" } });
  await call("DELETE", "/members/me", { token });
  expect(await actionsOf(owner)).toEqual(["auth.registered"]);
});

test("a batch that fails leaves neither the change nor its event", async () => {
  const owner = await signUp();
  await env.DB.prepare(
    `CREATE TRIGGER refuse BEFORE INSERT ON email_tokens WHEN new.subject_id = '${owner.userId}' BEGIN
      SELECT RAISE(ABORT, 'refused'); END`,
  ).run();
  try {
    const body = { name: "key", scopes: ["webhook.read"] };
    expect((await call("POST", "/api-keys", { token: owner.token, body })).status).toBe(500);
  } finally {
    await env.DB.prepare("DROP TRIGGER refuse").run();
  }
  expect((await call("GET", "/api-keys", { token: owner.token })).body.data).toEqual([]);
  expect(await actionsOf(owner)).toEqual(["auth.registered"]);
});

test("two events of one request are two rows, in order", async () => {
  const owner = await signUp();
  const guest = await joinTenant(owner, "admin");
  expect(await actionsOf(guest, "?limit=3")).toEqual(["member.joined", "auth.registered", "member.invited"]);
});

test("members, sessions and keys are recorded with what changed", async () => {
  const owner = await signUp();
  const guest = await joinTenant(owner, "viewer");
  await call("PATCH", `/members/${guest.userId}`, { token: owner.token, body: { role: "admin" } });
  const [changed] = await eventsOf(owner);
  expect(changed).toMatchObject({
    action: "member.role_changed",
    target: { kind: "user", id: guest.userId },
    meta: { from: "viewer", to: "admin" },
  });
  const key = await call("POST", "/api-keys", { token: guest.token, body: { name: "k", scopes: ["audit.read"] } });
  await call("DELETE", `/api-keys/${key.body.data.id}`, { token: owner.token });
  await call("DELETE", `/members/${guest.userId}`, { token: owner.token });
  const again = await logIn(owner);
  const sessions = await call("GET", "/auth/sessions", { token: owner.token });
  await call("DELETE", `/auth/sessions/${sessions.body.data[1].id}`, { token: owner.token });
  const last = await logIn(owner);
  await call("POST", "/auth/logout", { body: { refreshToken: last.refreshToken } });
  expect(again.token).toBeTruthy();
  expect(await actionsOf(owner, "?limit=8")).toEqual([
    "auth.logout",
    "auth.login",
    "session.revoked",
    "auth.login",
    "member.removed",
    "api_key.deleted",
    "api_key.created",
    "member.role_changed",
  ]);
});

test("signing out everywhere is recorded in each tenant that had a session", async () => {
  const [host, guest] = [await signUp(), await signUpVerified()];
  const token = await invite(host, guest.email, "viewer");
  await call("POST", "/invitations/accept", { token: guest.token, body: { token } });
  const there = await call("POST", "/auth/login", {
    body: { email: guest.email, password: PASSWORD, tenantId: host.tenantId },
  });
  expect(there.status).toBe(200);
  await call("POST", "/auth/logout-all", { token: guest.token });
  const [event] = await eventsOf(host);
  expect(event).toMatchObject({ action: "auth.logout_all", actor: { id: guest.userId } });
  const again = { ...guest, token: (await logIn(guest)).token };
  expect((await call("GET", "/auth/me/activity", { token: again.token })).body.data).toEqual(
    expect.arrayContaining([expect.objectContaining({ action: "auth.logout_all" })]),
  );
});

test("a refresh leaves no event, and a second use of its token one by somebody anonymous", async () => {
  const owner = await signUp();
  const session = await logIn(owner);
  await call("POST", "/auth/refresh", { body: { refreshToken: session.refreshToken } });
  expect(await actionsOf(owner, "?limit=1")).toEqual(["auth.login"]);
  await env.DB.prepare("UPDATE sessions SET rotated_at = 0 WHERE user_id = ?").bind(owner.userId).run();
  const reused = await call("POST", "/auth/refresh", { body: { refreshToken: session.refreshToken } });
  expect(reused.body.code).toBe("REFRESH_TOKEN_REUSED");
  const [event] = await eventsOf(owner);
  expect(event).toMatchObject({
    action: "auth.refresh_reused",
    actor: { kind: "anonymous", id: null, name: null },
    target: { kind: "user", id: owner.userId },
  });
});

describe("reading", () => {
  test("needs the permission audit.read, which API keys can have", async () => {
    const owner = await signUp();
    const developer = await joinTenant(owner, "developer");
    expect((await call("GET", "/audit", { token: developer.token })).body.code).toBe("FORBIDDEN");
    const key = await call("POST", "/api-keys", { token: owner.token, body: { name: "k", scopes: ["audit.read"] } });
    expect((await call("GET", "/audit", { token: key.body.data.key })).status).toBe(200);
  });

  test("shows nothing of another tenant", async () => {
    const [one, other] = [await signUp(), await signUp()];
    await call("POST", "/api-keys", { token: one.token, body: { name: "k", scopes: ["audit.read"] } });
    expect(await actionsOf(other)).toEqual(["auth.registered"]);
    expect(await eventsOf(other, `?actor=${one.userId}`)).toEqual([]);
  });

  test("filters by action, group, actor, target, address and time, page by page", async () => {
    const owner = await signUp();
    const ids: string[] = [];
    for (const ip of ["198.51.100.1", "198.51.100.2", "198.51.100.3"]) {
      const body = { name: "k", scopes: ["audit.read"] };
      const headers = { "cf-connecting-ip": ip };
      ids.unshift((await call("POST", "/api-keys", { token: owner.token, body, headers })).body.data.id);
    }
    const found = async (query: string) =>
      (await eventsOf(owner, query)).map(({ target }: { target: { id: string } }) => target.id);
    expect(await found("?action=api_key.created")).toEqual(ids);
    expect(await found("?action=api_key.*")).toEqual(ids);
    expect(await found("?action=api_key.deleted")).toEqual([]);
    expect(await found(`?target=${ids[1]}`)).toEqual([ids[1]]);
    expect(await found("?ip=198.51.100.2")).toEqual([ids[1]]);
    expect(await found(`?actor=${owner.userId}&action=api_key.*`)).toEqual(ids);
    expect(await found(`?actor=${encodeURIComponent(owner.email)}&action=api_key.*`)).toEqual(ids);
    const [{ at }] = await eventsOf(owner, "?limit=1");
    expect(await found(`?since=${at}`)).toEqual(ids.slice(0, 1));
    expect(await found(`?until=${at}&action=api_key.*`)).toEqual(ids.slice(1));
    const first = await call("GET", "/audit?limit=2", { token: owner.token });
    const second = await call("GET", `/audit?limit=2&cursor=${first.body.nextCursor}`, { token: owner.token });
    expect([...first.body.data, ...second.body.data].slice(0, 3).map(({ target }) => target.id)).toEqual(ids);
    expect(second.body.nextCursor).toBeNull();
  });

  test.each([
    "limit=0",
    "limit=201",
    "action=none",
    "cursor=x",
    "target=",
    `target=${"x".repeat(65)}`,
    "since=yesterday",
    "actor=",
    "ip=",
  ])("refuses ?%s", async (query) => {
    const { token } = await signUp();
    expect((await call("GET", `/audit?${query}`, { token })).body.code).toBe("VALIDATION_FAILED");
  });
});

test("own activity is the caller's in all tenants, and nobody else's", async () => {
  const [owner, host] = [await signUp(), await signUp()];
  await verify(owner.email);
  const token = await invite(host, owner.email, "admin");
  await call("POST", "/invitations/accept", { token: owner.token, body: { token } });
  const mine = await call("GET", "/auth/me/activity", { token: owner.token });
  const actions = mine.body.data.map(({ action }: { action: string }) => action);
  expect(actions).toEqual(["member.joined", "auth.registered"]);
  expect(await actionsOf(owner)).toEqual(["auth.registered"]);
});

test("own activity has the newest 100 events", async () => {
  const owner = await signUp();
  const ids = Array.from({ length: 120 }, (_, n) => newIdAt(Date.now() - 3_600_000 + n));
  await env.DB.prepare(
    `INSERT INTO audit_events (tenant_id, id, action, actor_kind, actor_id)
      SELECT ?1, value, 'session.revoked', 'user', ?2 FROM json_each(?3)`,
  )
    .bind(owner.tenantId, owner.userId, JSON.stringify(ids))
    .run();
  const { body } = await call("GET", "/auth/me/activity", { token: owner.token });
  expect(body.data.map(({ id }: { id: string }) => id).slice(1)).toEqual(ids.slice(21).reverse());
});

test("an invitation to a full tenant verifies the address, which is recorded in the guest's tenant and not in the full one", async () => {
  const [host, guest] = [await signUp(), await signUp()];
  const body = { token: await invite(host, guest.email, "viewer") };
  const acceptance = { path: "/api/v1/invitations/accept", token: guest.token, body };
  expect((await callUnder({ MAX_MEMBERS_PER_TENANT: "1" }, acceptance)).status).toBe(409);
  expect(await actionsOf(host)).toEqual(["member.invited", "auth.registered"]);
  expect(await actionsOf(guest)).toEqual(["auth.email_verified", "auth.registered"]);
});
