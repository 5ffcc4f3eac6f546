/** Members and invitations: roles, the last owner, removal, joining. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, logIn, newEmail, PASSWORD, type Person, signUp } from "../support/client";
import { mailTo } from "../support/mailbox";
import { invite, joinTenant } from "../support/people";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

afterEach(() => {
  vi.useRealTimers();
});

const setRoleOf = (actor: Person, userId: string, role: string) =>
  call("PATCH", `/members/${userId}`, { token: actor.token, body: { role } });
const remove = (actor: Person, userId: string) => call("DELETE", `/members/${userId}`, { token: actor.token });
const me = (person: Person) => call("GET", "/auth/me", { token: person.token });
const accept = (person: Person, token: string) =>
  call("POST", "/invitations/accept", { token: person.token, body: { token } });
const register = (email: string, invitationToken: string) =>
  call("POST", "/auth/register", { body: { email, password: PASSWORD, invitationToken } });

describe("members", () => {
  test("are listed with their roles, and a role change applies to the next request", async () => {
    const owner = await signUp();
    const guest = await joinTenant(owner, "viewer");
    expect(guest.tenantId).toBe(owner.tenantId);
    const { body } = await call("GET", "/members", { token: owner.token });
    expect(body.data.map((row: { email: string; role: string }) => [row.email, row.role])).toEqual([
      [owner.email, "owner"],
      [guest.email, "viewer"],
    ]);
    expect((await call("GET", "/members", { token: guest.token })).status).toBe(403);
    const changed = await setRoleOf(owner, guest.userId, "admin");
    expect([changed.status, changed.body.data.role]).toEqual([200, "admin"]);
    expect((await call("GET", "/members", { token: guest.token })).status).toBe(200);
  });

  test("only an owner makes, changes or removes owners", async () => {
    const owner = await signUp();
    const admin = await joinTenant(owner, "admin");
    const viewer = await joinTenant(owner, "viewer");
    expect((await setRoleOf(admin, viewer.userId, "owner")).status).toBe(403);
    expect((await setRoleOf(admin, owner.userId, "viewer")).status).toBe(403);
    expect((await remove(admin, owner.userId)).body.code).toBe("FORBIDDEN");
    expect((await setRoleOf(admin, viewer.userId, "developer")).status).toBe(200);
    expect((await setRoleOf(owner, admin.userId, "owner")).status).toBe(200);
    expect((await setRoleOf(viewer, viewer.userId, "owner")).status).toBe(403);
  });

  test("one owner always remains, even when two owners demote each other at once", async () => {
    const owner = await signUp();
    const alone = await setRoleOf(owner, owner.userId, "viewer");
    expect([alone.status, alone.body.code]).toEqual([409, "CONFLICT"]);
    expect((await remove(owner, owner.userId)).status).toBe(409);
    const second = await joinTenant(owner, "owner");
    const answers = await Promise.all([
      setRoleOf(owner, second.userId, "viewer"),
      setRoleOf(second, owner.userId, "viewer"),
    ]);
    expect(answers.filter((answer) => answer.status === 200).length).toBe(1);
    const row = await env.DB.prepare("SELECT count(*) AS n FROM memberships WHERE tenant_id = ? AND role = 'owner'")
      .bind(owner.tenantId)
      .first<{ n: number }>();
    expect(row?.n).toBe(1);
  });

  test("a removed member's sessions and keys end at once, and their next login creates a tenant of their own", async () => {
    const owner = await signUp();
    const guest = await joinTenant(owner, "developer");
    const { key, id, prefix } = (
      await call("POST", "/api-keys", { token: guest.token, body: { name: "k", scopes: ["webhook.read"] } })
    ).body.data;
    const removed = await remove(owner, guest.userId);
    const endedApiKeys = [{ id, name: "k", prefix }];
    expect([removed.status, removed.body]).toEqual([200, { message: "Member removed.", endedApiKeys }]);
    const { data } = (await call("GET", "/audit?action=api_key.deleted", { token: owner.token })).body;
    expect(data).toMatchObject([{ target: { kind: "api-key", id }, meta: { reason: "member-removed" } }]);
    const { text } = await mailTo(owner.email, /removed from your tenant/);
    expect(text).toContain(`This API key stopped working at once: k (${prefix}).`);
    expect((await me(guest)).status).toBe(401);
    expect((await call("GET", "/webhooks", { token: key })).status).toBe(401);
    const dead = await call("POST", "/auth/refresh", { body: { refreshToken: guest.refreshToken } });
    expect(dead.status).toBe(401);
    const again = await me(await logIn(guest));
    expect(again.body.data.role).toBe("owner");
    expect(again.body.data.tenant.id).not.toBe(owner.tenantId);
    expect((await remove(owner, guest.userId)).body.message).toBe("Member not found");
  });

  test("parallel logins of a user without a tenant create one tenant", async () => {
    const owner = await signUp();
    const guest = await joinTenant(owner, "viewer");
    await remove(owner, guest.userId);
    await Promise.all(Array.from({ length: 5 }, () => logIn(guest)));
    const row = await env.DB.prepare("SELECT count(*) AS n FROM memberships WHERE user_id = ?")
      .bind(guest.userId)
      .first<{ n: number }>();
    expect(row?.n).toBe(1);
  });

  test("another tenant's member does not exist", async () => {
    const owner = await signUp();
    const stranger = await signUp();
    expect((await setRoleOf(owner, stranger.userId, "viewer")).body.message).toBe("Member not found");
    expect((await remove(owner, stranger.userId)).status).toBe(404);
    expect((await setRoleOf(owner, stranger.userId, "emperor")).body.code).toBe("VALIDATION_FAILED");
  });
});

describe("a session that was confirmed more than ten minutes ago", () => {
  const stepUp = ({ token }: Person) => call("POST", "/auth/step-up", { token, body: { password: PASSWORD } });
  const post = ({ token }: Person, role: string) =>
    call("POST", "/invitations", { token, body: { email: newEmail(), role } });
  const leave = ({ token }: Person) => call("DELETE", "/members/me", { token });
  const signInAgo = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * MINUTE_MS });

  test("makes, changes and removes no owner, until a step-up", async () => {
    const owner = await signUp();
    const [second, third, viewer] = [
      await joinTenant(owner, "owner"),
      await joinTenant(owner, "owner"),
      await joinTenant(owner, "viewer"),
    ];
    signInAgo();
    const attempts = [
      () => post(owner, "owner"),
      () => setRoleOf(owner, viewer.userId, "owner"),
      () => setRoleOf(owner, second.userId, "admin"),
      () => remove(owner, third.userId),
      () => setRoleOf(owner, owner.userId, "admin"),
    ];
    for (const attempt of [...attempts, () => remove(owner, owner.userId)]) {
      const { status, body } = await attempt();
      expect([status, body.code, body.message]).toEqual([
        403,
        "STEP_UP_REQUIRED",
        "Confirm your password to continue.",
      ]);
    }
    const { data } = (await call("GET", "/members", { token: owner.token })).body;
    expect(data.map(({ role }: { role: string }) => role)).toEqual(["owner", "owner", "owner", "viewer"]);
    expect((await call("GET", "/invitations", { token: owner.token })).body.data).toEqual([]);
    expect((await stepUp(owner)).status).toBe(200);
    const done = [];
    for (const attempt of attempts) done.push((await attempt()).status);
    expect(done).toEqual([201, 200, 200, 200, 200]);
  });

  test("leaves as an owner after a step-up only", async () => {
    const owner = await signUp();
    await joinTenant(owner, "owner");
    signInAgo();
    expect((await leave(owner)).body.code).toBe("STEP_UP_REQUIRED");
    await stepUp(owner);
    expect((await leave(owner)).status).toBe(200);
  });

  test("needs no step-up for other roles", async () => {
    const owner = await signUp();
    const [admin, viewer] = [await joinTenant(owner, "admin"), await joinTenant(owner, "viewer")];
    signInAgo();
    expect((await post(owner, "admin")).status).toBe(201);
    expect((await setRoleOf(owner, viewer.userId, "admin")).status).toBe(200);
    expect((await remove(owner, viewer.userId)).status).toBe(200);
    expect((await setRoleOf(admin, owner.userId, "viewer")).body.code).toBe("FORBIDDEN");
    expect((await post(admin, "owner")).body.code).toBe("FORBIDDEN");
    expect((await leave(admin)).status).toBe(200);
  });
});

const lookUp = (token: string) => call("POST", "/auth/invitations/look-up", { body: { token } });

describe("invitations", () => {
  test("say to whoever has the token of the mail what they are, while they are open", async () => {
    const [owner, email] = [await signUp(), newEmail()];
    const token = await invite(owner, email, "viewer");
    const { name } = (await me(owner)).body.data.tenant;
    const said = { tenant: { name }, role: "viewer", email, hasAccount: false, inviter: owner.email };
    expect((await lookUp(token)).body.data).toEqual(said);
    const guest = await signUp({ email });
    expect((await lookUp(token)).body.data).toEqual({ ...said, hasAccount: true });
    expect((await accept(guest, token)).status).toBe(200);
    for (const closed of [token, "unknown"]) {
      const { status, body } = await lookUp(closed);
      expect([status, body.code]).toEqual([400, "INVALID_TOKEN"]);
    }
    expect((await call("POST", "/auth/invitations/look-up", { body: {} })).body.code).toBe("VALIDATION_FAILED");
  });

  test("are listed and can be revoked, and a revoked one is refused", async () => {
    const owner = await signUp();
    const email = newEmail();
    const token = await invite(owner, email, "viewer");
    const { body } = await call("GET", "/invitations", { token: owner.token });
    expect(body.data).toEqual([
      {
        id: expect.any(String),
        email,
        role: "viewer",
        invitedBy: owner.userId,
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
    const path = `/invitations/${body.data[0].id}`;
    const stranger = await signUp();
    expect((await call("DELETE", path, { token: stranger.token })).body.message).toBe("Invitation not found");
    expect((await call("DELETE", path, { token: owner.token })).status).toBe(200);
    const refused = await register(email, token);
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      400,
      "INVALID_TOKEN",
      "Invalid or expired invitation token.",
    ]);
  });

  test("are valid for one address, 7 days and one use: of 10 parallel uses, one succeeds", async () => {
    const owner = await signUp();
    const email = newEmail();
    const token = await invite(owner, email, "viewer");
    expect((await register(newEmail(), token)).body.code).toBe("INVALID_TOKEN");
    const answers = await Promise.all(Array.from({ length: 10 }, () => register(email, token)));
    expect(answers.filter((answer) => answer.status === 201).length).toBe(1);
    const late = newEmail();
    const lateToken = await invite(owner, late, "viewer");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7 * DAY_MS });
    expect((await register(late, lateToken)).status).toBe(400);
  });

  test("can be accepted once by a signed-in user with that address, who can then log in to that tenant", async () => {
    const owner = await signUp();
    const guest = await signUp();
    const token = await invite(owner, guest.email, "operator");
    expect((await accept(await signUp(), token)).body.code).toBe("INVALID_TOKEN");
    const answers = await Promise.all(Array.from({ length: 10 }, () => accept(guest, token)));
    const won = answers.filter((answer) => answer.status === 200);
    expect(won.length).toBe(1);
    expect(won[0]?.body.data).toMatchObject({ tenant: { id: owner.tenantId }, role: "operator" });
    expect((await me(await logIn(guest))).body.data.tenant.id).toBe(guest.tenantId);
    const joined = await logIn(guest, PASSWORD, { tenantId: owner.tenantId });
    expect((await me(joined)).body.data.tenant.id).toBe(owner.tenantId);
    const foreign = { email: guest.email, password: PASSWORD, tenantId: (await signUp()).tenantId };
    expect((await call("POST", "/auth/login", { body: foreign })).body.message).toBe("Tenant not found");
  });

  test("only owners invite owners, existing members are not invited again, and other roles may not invite", async () => {
    const owner = await signUp();
    const admin = await joinTenant(owner, "admin");
    const viewer = await joinTenant(owner, "viewer");
    const post = (person: Person, email: string, role: string) =>
      call("POST", "/invitations", { token: person.token, body: { email, role } });
    expect((await post(admin, newEmail(), "owner")).status).toBe(403);
    expect((await post(admin, newEmail(), "admin")).status).toBe(201);
    expect((await post(viewer, newEmail(), "viewer")).status).toBe(403);
    expect((await post(admin, owner.email, "viewer")).body.code).toBe("CONFLICT");
    expect((await post(admin, newEmail(), "emperor")).body.code).toBe("VALIDATION_FAILED");
  });
});
