/** `/platform`: what the product does with its users and members. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { call, logIn, newEmail, PASSWORD, signUpVerified } from "../support/client";
import { mailTo } from "../support/mailbox";
import { named } from "../support/operators";
import { callUnder } from "../support/overrides";
import {
  all,
  auditOf,
  data,
  MISSING,
  newExternalId,
  newTenant,
  newUser,
  openPlatform,
  send,
} from "../support/platform-api";

beforeAll(openPlatform);

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
      metadata: {},
      publicMetadata: {},
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
  const all: object[] = (await send("GET", "/users?limit=200")).body.data;
  // Of the others only the names of the fields: a person of another test can be called anything.
  const text = JSON.stringify([await data("GET", `/users/${user.id}`), all.map(Object.keys)]);
  expect(text).not.toMatch(/argon2|password|hash|secret/i);
});
