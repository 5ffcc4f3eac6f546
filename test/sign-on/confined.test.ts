/** What a confined session shows and does, where a session of the person's own credential knows all tenants. */
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { call, logIn, newEmail, PASSWORD, type Person, setRole, signUpVerified } from "../support/client";
import { confine } from "../support/confined";
import { mailTo, tokenIn } from "../support/mailbox";
import { signedOnMember } from "../support/signed-on";

const OWN_CREDENTIALS = "Sign in with your own credentials for this.";

/** Somebody with a tenant and a session of their own, and a confined session in another tenant. */
async function inTwoTenants(role = "member") {
  const [boss, own] = [await signUpVerified(), await signUpVerified()];
  const { tenantId } = boss;
  await env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, ?, ?)")
    .bind(tenantId, own.userId, role, Date.now())
    .run();
  const confined: Person = { ...(await logIn(own, undefined, { tenantId })), tenantId };
  return { boss, own, confined, ...(await confine(confined)) };
}

describe("to a confined session", () => {
  test("the person's other tenants do not exist", async () => {
    const { own, confined } = await inTwoTenants();
    const { token } = confined;
    expect((await call("GET", "/tenants", { token })).body.data).toMatchObject([{ id: confined.tenantId }]);
    const { body } = await call("GET", "/auth/sessions", { token });
    expect(body.data).toMatchObject([{ current: true }]);
    const activity = (await call("GET", "/auth/me/activity", { token })).body.data;
    expect(activity).toMatchObject([{ action: "auth.login" }]);
    expect((await call("GET", "/tenants", { token: own.token })).body.data).toHaveLength(2);
    const sessions = (await call("GET", "/auth/sessions", { token: own.token })).body.data;
    expect(sessions).toHaveLength(2);
    const elsewhere = sessions.find(({ current }: { current: boolean }) => current);
    expect((await call("DELETE", `/auth/sessions/${elsewhere.id}`, { token })).status).toBe(404);
  });

  test("signing out everywhere ends what confined sessions made, and nothing else", async () => {
    const { own, confined } = await inTwoTenants();
    const here = await logIn(own, undefined, { tenantId: confined.tenantId });
    expect((await call("POST", "/auth/logout-all", { token: confined.token })).status).toBe(200);
    expect((await call("GET", "/auth/me", { token: confined.token })).status).toBe(401);
    expect((await call("GET", "/auth/me", { token: own.token })).status).toBe(200);
    expect((await call("GET", "/auth/me", { token: here.token })).status).toBe(200);
  });

  test("owners are made and removed by others", async () => {
    const { boss, confined } = await inTwoTenants();
    await setRole(confined, "owner");
    const { token } = confined;
    const answers = [
      await call("PATCH", `/members/${boss.userId}`, { token, body: { role: "admin" } }),
      await call("DELETE", `/members/${boss.userId}`, { token }),
      await call("DELETE", "/members/me", { token }),
      await call("POST", "/invitations", { token, body: { email: newEmail(), role: "owner" } }),
    ];
    for (const { status, body } of answers) expect([status, body.message]).toEqual([403, OWN_CREDENTIALS]);
    const invited = { email: newEmail(), role: "admin" };
    expect((await call("POST", "/invitations", { token, body: invited })).status).toBe(201);
  });
});

describe("the tokens of a confined session", () => {
  test("name the connection and what its provider says of the sign-on", async () => {
    const person = await signUpVerified();
    const said = { methods: ["sign-on", "trusted-mfa"], acr: "urn:acr:high" };
    const { connectionId } = await confine(person, said);
    const { body } = await call("POST", "/auth/refresh", { body: { refreshToken: person.refreshToken } });
    const claims = decodeJwt(body.data.accessToken);
    expect(claims).toMatchObject({ idp: connectionId, idp_acr: "urn:acr:high", amr: ["mfa"] });
    expect(decodeJwt(person.token)).not.toHaveProperty("idp");
  });

  test("end with the session, which refreshing does not prolong", async () => {
    const person = await signUpVerified();
    const { endsAt } = await confine(person);
    const { body } = await call("POST", "/auth/refresh", { body: { refreshToken: person.refreshToken } });
    const [session] = (await call("GET", "/auth/sessions", { token: body.data.accessToken })).body.data;
    expect(session.expiresAt).toBe(new Date(endsAt).toISOString());
  });

  test("need no second factor of the tenant's policy, which they could not set up", async () => {
    const { boss, confined } = await inTwoTenants("viewer");
    await env.DB.prepare(
      "UPDATE tenants SET second_factor = 'all', second_factor_grace_days = 0, second_factor_from = 1 WHERE id = ?",
    )
      .bind(boss.tenantId)
      .run();
    expect((await call("GET", "/webhooks", { token: confined.token })).status).toBe(200);
    expect((await call("GET", "/webhooks", { token: boss.token })).body.code).toBe("SECOND_FACTOR_REQUIRED");
  });
});

test("somebody whom a sign-on has made takes a password by a reset, and so has a session of their own", async () => {
  const { member } = await signedOnMember();
  const exported = async ({ token }: Person) => (await call("GET", "/auth/me/export", { token })).status;
  expect(await exported(member)).toBe(403);
  await call("POST", "/auth/forgot-password", { body: { email: member.email } });
  const token = tokenIn(await mailTo(member.email, /reset/i));
  const reset = await call("POST", "/auth/reset-password", { body: { token, newPassword: PASSWORD } });
  expect(reset.status).toBe(200);
  expect(await exported(await logIn(member))).toBe(200);
});
