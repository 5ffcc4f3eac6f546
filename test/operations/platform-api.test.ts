/** `/platform`: what the product does with its tenants, users and members. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import type { PlatformScope } from "../../src/platform/schemas/platform-scopes";
import { call, logIn, newEmail, PASSWORD, signUpVerified } from "../support/client";
import { mailTo } from "../support/mailbox";
import { named, operator } from "../support/operators";
import { callUnder } from "../support/overrides";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { newInbox } from "../support/receiver";

const MISSING = "0190a0a0-0000-7000-8000-000000000000";
const newExternalId = () => `ext-${crypto.randomUUID()}`;
let all: string;
beforeAll(async () => {
  all = (await newPlatformKey()).key;
});
const as = (key: string, method: string, path: string, body?: unknown) =>
  callAs(key, "", method, `/platform${path}`, body);
const send = (method: string, path: string, body?: unknown) => as(all, method, path, body);
const data = async (method: string, path: string, body?: unknown) => (await send(method, path, body)).body.data;
const newTenant = (fields: object = {}) => data("POST", "/tenants", { name: "Shop", ...fields });
const newUser = (fields: object = {}) => data("POST", "/users", { email: newEmail(), ...fields });
const auditOf = async (tenantId: string, query = "limit=1") =>
  (await callAs(all, tenantId, "GET", `/audit?${query}`)).body.data;

/** Each route with the scope that it needs. */
const ROUTES: [route: string, scope: PlatformScope][] = [
  ["POST /tenants", "tenants.write"],
  ["GET /tenants", "tenants.read"],
  [`GET /tenants/${MISSING}`, "tenants.read"],
  [`PATCH /tenants/${MISSING}`, "tenants.write"],
  [`DELETE /tenants/${MISSING}`, "tenants.write"],
  [`POST /tenants/${MISSING}/suspend`, "tenants.write"],
  [`POST /tenants/${MISSING}/resume`, "tenants.write"],
  [`GET /tenants/${MISSING}/members`, "members.read"],
  [`POST /tenants/${MISSING}/members`, "members.write"],
  [`PATCH /tenants/${MISSING}/members/${MISSING}`, "members.write"],
  [`DELETE /tenants/${MISSING}/members/${MISSING}`, "members.write"],
  ["POST /users", "users.write"],
  ["GET /users", "users.read"],
  [`GET /users/${MISSING}`, "users.read"],
  [`PATCH /users/${MISSING}`, "users.write"],
  [`DELETE /users/${MISSING}`, "users.write"],
  [`POST /users/${MISSING}/suspend`, "users.write"],
  [`POST /users/${MISSING}/resume`, "users.write"],
  [`POST /users/${MISSING}/sessions/revoke`, "users.write"],
  [`POST /users/${MISSING}/mails`, "users.write"],
];

describe("who may", () => {
  test("a key with the scope of the route, and no other scope", async () => {
    for (const scope of new Set(ROUTES.map(([, needed]) => needed))) {
      const { key } = await newPlatformKey([scope]);
      for (const [route, needed] of ROUTES) {
        const [method = "", path = ""] = route.split(" ");
        const { status } = await as(key, method, path, method === "GET" ? undefined : {});
        expect([scope, route, status === 403]).toEqual([scope, route, scope !== needed]);
        if (scope === needed) expect([200, 400, 404]).toContain(status);
      }
    }
  });

  test("an operator is told to use a key, others find nothing, and an API key is refused", async () => {
    const [op, person] = [await operator(), await signUpVerified()];
    const made = await call("POST", "/api-keys", { token: person.token, body: { name: "k", scopes: ["audit.read"] } });
    for (const [route] of ROUTES) {
      const [method = "", path = ""] = route.split(" ");
      const asked = await as(op.token, method, path, method === "GET" ? undefined : {});
      expect([route, asked.status, asked.body.message]).toEqual([route, 403, "Use a platform key."]);
      for (const [token, status] of [
        [person.token, 404],
        [made.body.data.key, 401],
      ]) {
        expect([route, (await as(token, method, path, method === "GET" ? undefined : {})).status]).toEqual([
          route,
          status,
        ]);
      }
    }
  });

  test("a key with a list of tenants sees these alone, and makes none", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    const { key } = await newPlatformKey(["tenants.read", "tenants.write", "members.read"], { tenants: [one.id] });
    expect((await as(key, "GET", "/tenants")).body.data.map(({ id }: { id: string }) => id)).toEqual([one.id]);
    expect((await as(key, "GET", `/tenants/${one.id}`)).status).toBe(200);
    expect((await as(key, "GET", `/tenants/${other.id}`)).status).toBe(404);
    expect((await as(key, "PATCH", `/tenants/${other.id}`, { name: "x" })).status).toBe(404);
    expect((await as(key, "GET", `/tenants/${other.id}/members`)).status).toBe(404);
    expect((await as(key, "POST", "/tenants", { name: "x" })).status).toBe(403);
  });

  test("as often as its limits allow, which no other key uses up", async () => {
    const keys = [await newPlatformKey(["tenants.read", "tenants.write"]), await newPlatformKey(["tenants.read"])];
    const vars = {
      RATE_LIMITS: JSON.stringify({
        platformRead: { limit: 2, windowSeconds: 60 },
        platformWrite: { limit: 1, windowSeconds: 60 },
      }),
    };
    const ask = async (token: string | undefined, method: string) =>
      (await callUnder(vars, { method, path: "/api/v1/platform/tenants", token, body: {} })).status;
    expect([await ask(keys[0]?.key, "GET"), await ask(keys[0]?.key, "GET"), await ask(keys[0]?.key, "GET")]).toEqual([
      200, 200, 429,
    ]);
    expect([await ask(keys[0]?.key, "POST"), await ask(keys[0]?.key, "POST")]).toEqual([400, 429]);
    expect(await ask(keys[1]?.key, "GET")).toBe(200);
  });
});

describe("tenants", () => {
  test("are created once for an external id, also by 20 parallel requests", async () => {
    const externalId = newExternalId();
    const create = (name = "Shop") => send("POST", "/tenants", { name, externalId });
    const answers = await Promise.all(Array.from({ length: 20 }, () => create()));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(answers[0]?.body.data).toEqual({
      id: expect.any(String),
      externalId,
      name: "Shop",
      suspended: null,
      createdAt: expect.any(String),
      updatedAt: answers[0]?.body.data.createdAt,
      sequence: 0,
    });
    const other = await create("Other");
    expect([other.status, other.body.code]).toEqual([409, "CONFLICT"]);
  });

  test.each(["", "a b", "a/b", "a?b", "a#b", "a%b", "a\\b", "é", "x".repeat(129), "a\n"])(
    "refuse the external id %j",
    async (externalId) => {
      const { status, body } = await send("POST", "/tenants", { name: "Shop", externalId });
      expect([status, body.details[0].path]).toEqual([400, "externalId"]);
    },
  );

  test("are named by id or external id, changed, and listed from the time of a change", async () => {
    const externalId = `A!${crypto.randomUUID()}`;
    const tenant = await newTenant({ externalId });
    const ref = encodeURIComponent(`ext:${externalId}`);
    expect(await data("GET", `/tenants/${ref}`)).toEqual(tenant);
    const renamed = await data("PATCH", `/tenants/${ref}`, { name: "Renamed" });
    expect(renamed).toMatchObject({ name: "Renamed", externalId });
    expect(renamed.updatedAt > tenant.updatedAt).toBe(true);
    expect(await data("PATCH", `/tenants/${tenant.id}`, { name: "Renamed" })).toEqual(renamed);
    const changed = await send("GET", `/tenants?updatedSince=${renamed.updatedAt}`);
    expect(changed.body.data).toContainEqual(renamed);
    expect((await send("GET", `/tenants?externalId=${encodeURIComponent(externalId)}`)).body.data).toEqual([renamed]);
    const [event] = await auditOf(tenant.id);
    expect(event).toMatchObject({ action: "tenant.updated", actor: { kind: "platform-key" } });
    const other = await newTenant();
    expect((await send("PATCH", `/tenants/${other.id}`, { externalId })).status).toBe(409);
    expect((await data("PATCH", `/tenants/${tenant.id}`, { externalId: null })).externalId).toBeNull();
    expect((await send("GET", `/tenants/${ref}`)).status).toBe(404);
  });

  test("are paged without gaps, the least recently updated first", async () => {
    const since = new Date().toISOString();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.push((await newTenant()).id);
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = (await send("GET", `/tenants?limit=2&updatedSince=${since}${cursor}`)).body;
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`;
    } while (cursor !== "");
    expect(seen.filter((id) => made.includes(id))).toEqual(made);
    expect((await send("GET", "/tenants?cursor=x")).status).toBe(400);
  });

  test("are suspended and resumed, twice without harm", async () => {
    const { id } = await newTenant();
    for (const [change, message] of [
      ["suspend", "Tenant suspended."],
      ["suspend", "Tenant suspended."],
    ]) {
      const { status, body } = await send("POST", `/tenants/${id}/${change}`, { reason: "Unpaid" });
      expect([status, body.message]).toEqual([200, message]);
    }
    expect((await data("GET", `/tenants/${id}`)).suspended).toEqual({ at: expect.any(String), reason: "Unpaid" });
    expect((await callAs(all, id, "GET", "/webhooks")).status).toBe(403);
    expect((await send("DELETE", `/tenants/${id}`)).status).toBe(409);
    for (let again = 0; again < 2; again += 1) {
      expect((await send("POST", `/tenants/${id}/resume`, { reason: "Paid" })).body.message).toBe("Tenant resumed.");
    }
    const actions = (await auditOf(id, "limit=9")).map(({ action }: { action: string }) => action);
    expect(actions).toEqual(["tenant.resumed", "tenant.suspended", "tenant.created"]);
  });

  test("need no verified owner to work, and are deleted with what they have", async () => {
    const externalId = newExternalId();
    const { id } = await newTenant({ externalId });
    const hook = { name: "h", url: newInbox("200").url, events: ["*"], secret: "a secret" };
    for (let count = 0; count < 6; count += 1) {
      expect((await callAs(all, id, "POST", "/webhooks", hook)).status).toBe(201);
    }
    const deleted = await send("DELETE", `/tenants/ext:${externalId}`);
    expect([deleted.status, deleted.body.message]).toEqual([200, "Tenant deleted."]);
    expect((await send("GET", `/tenants/${id}`)).status).toBe(404);
    const [event] = await auditOf("platform");
    expect(event).toMatchObject({ action: "tenant.deleted", target: { id }, meta: { externalId } });
  });

  test("do not include the tenant of the platform", async () => {
    await callAs(all, "platform", "GET", "/webhooks");
    for (const [method, path] of [
      ["GET", "/tenants/platform"],
      ["PATCH", "/tenants/platform"],
      ["DELETE", "/tenants/platform"],
      ["GET", "/tenants/platform/members"],
    ] as const) {
      expect((await send(method, path, method === "GET" ? undefined : {})).status).toBe(404);
    }
    expect(JSON.stringify((await send("GET", "/tenants?limit=200")).body)).not.toContain('"platform"');
  });
});

describe("users", () => {
  test("are created once for an external id, without a mail or a tenant, also in parallel", async () => {
    const [externalId, email] = [newExternalId(), newEmail()];
    const create = (fields: object = {}) => send("POST", "/users", { externalId, email, name: "Ada", ...fields });
    const answers = await Promise.all(Array.from({ length: 20 }, () => create()));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    const [user] = answers.map(({ body }) => body.data);
    expect(user).toMatchObject({ externalId, email, name: "Ada", emailVerified: false, twoFactorEnabled: false });
    expect((await create({ password: PASSWORD })).status).toBe(200);
    for (const fields of [{ name: "Eve" }, { email: newEmail() }, { emailVerified: true }]) {
      const { status, body } = await create(fields);
      expect([status, body.code]).toEqual([409, "CONFLICT"]);
    }
    const taken = await send("POST", "/users", { email });
    expect([taken.status, taken.body.code]).toEqual([409, "EMAIL_TAKEN"]);
    expect(await data("GET", `/users/${encodeURIComponent(`email:${email}`)}`)).toEqual({ ...user, tenants: [] });
  });

  test("sign in with a password that was given, once the address is vouched for", async () => {
    const user = await newUser({ password: PASSWORD, emailVerified: true });
    const { status } = await call("POST", "/auth/login", { body: { email: user.email, password: PASSWORD } });
    expect(status).toBe(200);
    const guessable = await send("POST", "/users", { email: newEmail(), password: "password1" });
    expect([guessable.status, guessable.body.details[0].path]).toEqual([400, "password"]);
  });

  test("are changed; a new address is unverified and voids mailed links; a password is refused", async () => {
    const user = await newUser({ emailVerified: true });
    await send("POST", `/users/${user.id}/mails`, { kind: "password-reset" });
    await mailTo(user.email, /reset/i);
    const links = async () =>
      env.DB.prepare("SELECT count(*) AS n FROM email_tokens WHERE subject_id = ?").bind(user.id).first<number>("n");
    expect(await links()).toBe(1);
    const email = newEmail();
    expect(await data("PATCH", `/users/${user.id}`, { email, name: "New" })).toMatchObject({
      email,
      name: "New",
      emailVerified: false,
    });
    expect(await links()).toBe(0);
    expect((await data("PATCH", `/users/${user.id}`, { emailVerified: true })).emailVerified).toBe(true);
    const refused = await send("PATCH", `/users/${user.id}`, { password: PASSWORD });
    expect([refused.status, refused.body.details[0].path]).toEqual([400, "password"]);
    const other = await newUser();
    const taken = await send("PATCH", `/users/${user.id}`, { email: other.email });
    expect([taken.status, taken.body.code]).toEqual([409, "EMAIL_TAKEN"]);
  });

  test("are suspended, resumed, signed out and mailed", async () => {
    const person = await logIn(await signUpVerified());
    const path = `/users/${person.userId}`;
    const reason = { reason: "a test" };
    expect((await send("POST", `${path}/sessions/revoke`, reason)).body.message).toBe("All sessions ended.");
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(401);
    expect((await send("POST", `${path}/suspend`, reason)).body.message).toBe("Person suspended.");
    const login = () => call("POST", "/auth/login", { body: { email: person.email, password: PASSWORD } });
    expect((await login()).status).toBe(403);
    expect((await data("GET", path)).suspended.reason).toBe("a test");
    expect((await send("POST", `${path}/resume`, reason)).body.message).toBe("Person resumed.");
    const { token } = (await login()).body.data.accessToken ? { token: (await login()).body.data.accessToken } : person;
    const mine = (await call("GET", "/auth/me/activity", { token })).body.data.map(
      ({ action, actor }: { action: string; actor: { kind: string; id: string | null } }) => [
        action,
        actor.kind,
        actor.id,
      ],
    );
    expect(mine).toContainEqual(["user.suspended", "platform-key", null]);
    expect(mine).toContainEqual(["session.revoked", "platform-key", null]);
    const verification = await send("POST", `${path}/mails`, { kind: "verification" });
    expect(verification.body.message).toBe("Email already verified.");
  });

  test("are deleted as they delete themselves", async () => {
    const person = await signUpVerified();
    const path = `/users/${person.userId}`;
    const kept = await send("DELETE", path, {});
    expect([kept.status, kept.body.code]).toEqual([409, "CONFLICT"]);
    const deleted = await send("DELETE", path, { deleteTenants: true });
    expect([deleted.status, deleted.body.message]).toEqual([200, "Account deleted."]);
    expect((await send("GET", path)).status).toBe(404);
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(401);
    const ended = await auditOf("platform", "limit=2");
    expect(ended.map(({ action, target }: { action: string; target: object }) => [action, target])).toEqual(
      expect.arrayContaining([
        ["auth.account_deleted", { kind: "user", id: person.userId }],
        ["tenant.deleted", { kind: "tenant", id: person.tenantId }],
      ]),
    );
  });

  test("who are operators are out of reach", async () => {
    const op = await named("operator@example.com");
    const reason = { reason: "a test" };
    const writes: [method: string, path: string, body: unknown][] = [
      ["POST", "/users", { email: "second-operator@example.com" }],
      ["PATCH", `/users/${op.userId}`, { name: "x" }],
      ["PATCH", `/users/${(await newUser()).id}`, { email: "Second-Operator@example.com" }],
      ["POST", `/users/${op.userId}/suspend`, reason],
      ["POST", `/users/${op.userId}/resume`, reason],
      ["POST", `/users/${op.userId}/sessions/revoke`, reason],
      ["DELETE", `/users/${op.userId}`, { deleteTenants: true }],
    ];
    for (const [method, path, body] of writes) {
      expect([method, path, (await send(method, path, body)).status]).toEqual([method, path, 403]);
    }
    expect((await send("GET", `/users/${op.userId}`)).status).toBe(200);
  });

  test("whom the product vouches for become no operators", async () => {
    const user = await newUser({ password: PASSWORD, emailVerified: true });
    await env.DB.prepare("UPDATE users SET email = 'former-' || id || '@example.com' WHERE email = ?")
      .bind("operator@example.com")
      .run();
    await env.DB.prepare("UPDATE users SET email = 'operator@example.com' WHERE id = ?").bind(user.id).run();
    const body = { email: "operator@example.com", password: PASSWORD };
    const token = (await call("POST", "/auth/login", { body })).body.data.accessToken;
    expect((await call("GET", "/operator/status", { token })).status).toBe(404);
  });
});

describe("members", () => {
  test("are added by any name, once, and listed", async () => {
    const [tenant, externalId] = [await newTenant(), newExternalId()];
    const user = await newUser({ externalId });
    const path = `/tenants/${tenant.id}/members`;
    const added = await send("POST", path, { user: `ext:${externalId}`, role: "developer" });
    expect(added.status).toBe(201);
    expect(added.body.data).toEqual({
      userId: user.id,
      externalId,
      email: user.email,
      name: null,
      role: "developer",
      joinedAt: expect.any(String),
    });
    expect((await send("POST", path, { user: `email:${user.email}`, role: "developer" })).status).toBe(200);
    expect((await send("POST", path, { user: user.id, role: "viewer" })).status).toBe(409);
    expect((await send("POST", path, { user: MISSING, role: "viewer" })).status).toBe(404);
    expect((await send("GET", path)).body).toEqual({ data: [added.body.data], nextCursor: null });
    const [event] = await auditOf(tenant.id);
    expect(event).toMatchObject({ action: "member.added", target: { id: user.id }, meta: { role: "developer" } });
    expect((await data("GET", `/users/${user.id}`)).tenants).toEqual([
      { id: tenant.id, externalId: null, name: "Shop", role: "developer" },
    ]);
  });

  test("change roles and leave, but for the last owner", async () => {
    const [tenant, one, two] = [await newTenant(), await newUser(), await newUser()];
    const path = `/tenants/${tenant.id}/members`;
    for (const user of [one.id, two.id]) await send("POST", path, { user, role: "owner" });
    expect((await send("PATCH", `${path}/${one.id}`, { role: "admin" })).body.data.role).toBe("admin");
    const demoted = await send("PATCH", `${path}/${two.id}`, { role: "admin" });
    expect([demoted.status, demoted.body.code]).toEqual([409, "CONFLICT"]);
    expect((await send("DELETE", `${path}/${two.id}`)).status).toBe(409);
    expect((await send("DELETE", `${path}/${one.id}`)).body.message).toBe("Member removed.");
    expect((await send("DELETE", `${path}/${one.id}`)).status).toBe(404);
    const actions = (await auditOf(tenant.id, "limit=9")).map(({ action }: { action: string }) => action);
    expect(actions).toEqual([
      "member.removed",
      "member.role_changed",
      "member.added",
      "member.added",
      "tenant.created",
    ]);
    const [event] = await auditOf("platform");
    expect(event).toMatchObject({ action: "member.removed", target: { id: one.id }, meta: { tenantId: tenant.id } });
  });

  test("stop at the cap", async () => {
    const [tenant, one, two] = [await newTenant(), await newUser(), await newUser()];
    const add = (user: string) =>
      callUnder(
        { MAX_MEMBERS_PER_TENANT: "1" },
        { path: `/api/v1/platform/tenants/${tenant.id}/members`, token: all, body: { user, role: "viewer" } },
      );
    expect([(await add(one.id)).status, (await add(two.id)).status]).toEqual([201, 409]);
  });
});

test("answers hold no hash, token or secret", async () => {
  const user = await newUser({ password: PASSWORD });
  const text = JSON.stringify([await data("GET", `/users/${user.id}`), (await send("GET", "/users?limit=200")).body]);
  expect(text).not.toMatch(/argon2|password|hash|secret/i);
});
