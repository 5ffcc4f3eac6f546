/** What access tokens say: the claims that another service can rely on. */
import { env } from "cloudflare:workers";
import { decodeJwt, type JWTPayload } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { BUILT_IN_ROLES, permissionsOf } from "../../src/base/schemas/roles";
import { call, logIn, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { addPasskey, loginWith, stepUpBody } from "../support/passkeys";
import { codeOf, enrol } from "../support/two-factor";

afterEach(() => {
  vi.useRealTimers();
});

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const claimsOf = ({ token }: Pick<Person, "token">): JWTPayload => decodeJwt(token);
const amrOf = (person: Pick<Person, "token">) => [...(claimsOf(person).amr as string[])].sort();

async function refreshed(person: Person): Promise<Person> {
  const { body } = await call("POST", "/auth/refresh", { body: { refreshToken: person.refreshToken } });
  return { ...person, token: body.data.accessToken, refreshToken: body.data.refreshToken };
}

const setRole = ({ userId }: Person, role: string) =>
  env.DB.prepare("UPDATE memberships SET role = ? WHERE user_id = ?").bind(role, userId).run();

test("a token has exactly these claims, and no address or name", async () => {
  const person = await logIn(await signUp());
  const claims = claimsOf(person);
  expect(Object.keys(claims).sort()).toEqual(
    ["amr", "aud", "auth_time", "client_id", "exp", "iat", "iss", "jti", "role", "scope", "sid", "sub", "tid"].sort(),
  );
  expect(claims).toMatchObject({ sub: person.userId, tid: person.tenantId, role: "owner", client_id: "postern" });
  expect(claims.jti).toMatch(UUID_V7);
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900);
});

test("a token has the product's own ids of user and tenant, once it has given them, and so has the profile", async () => {
  const person = await signUp();
  await env.DB.batch([
    env.DB.prepare("UPDATE users SET external_id = ? WHERE id = ?").bind(`user-${person.userId}`, person.userId),
    env.DB.prepare("UPDATE tenants SET external_id = ? WHERE id = ?").bind(`t-${person.tenantId}`, person.tenantId),
  ]);
  const ids = { external_id: `user-${person.userId}`, tenant_external_id: `t-${person.tenantId}` };
  for (const later of [await refreshed(person), await logIn(person)]) expect(claimsOf(later)).toMatchObject(ids);
  const { data } = (await call("GET", "/auth/me", { token: person.token })).body;
  expect([data.externalId, data.tenant.externalId]).toEqual(Object.values(ids));
});

test("every token has a jti of its own", async () => {
  const first = await signUp();
  const second = await refreshed(first);
  expect(claimsOf(second).jti).not.toBe(claimsOf(first).jti);
});

test.each(BUILT_IN_ROLES)(
  "a refresh puts the role %s and its permissions, in their order, into the token",
  async (role) => {
    const person = await signUp();
    await setRole(person, role);
    const { role: claimed, scope } = claimsOf(await refreshed(person));
    expect([claimed, scope]).toEqual([role, permissionsOf(role).join(" ")]);
  },
);

test("switching tenants puts the role there into the token", async () => {
  const [person, host] = [await signUp(), await signUp()];
  await env.DB.prepare("INSERT INTO memberships (tenant_id, user_id, role, created_at) VALUES (?, ?, 'viewer', 0)")
    .bind(host.tenantId, person.userId)
    .run();
  const { body } = await call("POST", "/auth/switch-tenant", {
    token: person.token,
    body: { tenantId: host.tenantId },
  });
  expect(claimsOf({ token: body.data.accessToken })).toMatchObject({
    tid: host.tenantId,
    role: "viewer",
    scope: "webhook.read",
    amr: ["pwd"],
  });
});

test("iat is when the request began", async () => {
  const person = await signUp();
  const startedAt = Math.floor(Date.now() / 1000) + 100;
  vi.useFakeTimers({ toFake: ["Date"], now: startedAt * 1000 + 999 });
  expect(claimsOf(await refreshed(person)).iat).toBe(startedAt);
});

describe("auth_time", () => {
  test("is the second of the sign-in, also after a refresh", async () => {
    const person = await logIn(await signUp());
    const signedInAt = claimsOf(person).auth_time as number;
    expect(Math.abs(signedInAt - Date.now() / 1000)).toBeLessThan(60);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
    expect(claimsOf(await refreshed(person)).auth_time).toBe(signedInAt);
  });

  test("is the second of the last step-up from the next refresh on", async () => {
    const person = await logIn(await signUp());
    const steppedUpAt = Date.now() + 300_000;
    vi.useFakeTimers({ toFake: ["Date"], now: steppedUpAt });
    expect((await call("POST", "/auth/step-up", { token: person.token, body: { password: PASSWORD } })).status).toBe(
      200,
    );
    vi.useFakeTimers({ toFake: ["Date"], now: steppedUpAt + 60_000 });
    expect(claimsOf(await refreshed(person)).auth_time).toBe(Math.floor(steppedUpAt / 1000));
  });
});

describe("amr", () => {
  test("names the password, and with a second factor its code and that there were several factors", async () => {
    const person = await logIn(await signUp());
    expect(amrOf(person)).toEqual(["pwd"]);
    const secret = await enrol(person);
    const twice = await logIn(person, PASSWORD, { totp: codeOf(secret) });
    expect(amrOf(twice)).toEqual(["mfa", "otp", "pwd"]);
  });

  test.each([
    [false, ["hwk", "mfa", "user"]],
    [true, ["mfa", "swk", "user"]],
  ])("names a passkey that is backed up: %s", async (backedUp, references) => {
    const passkey = await addPasskey(await signUpVerified());
    const { body } = await loginWith(passkey, { backedUp });
    expect(amrOf({ token: body.data.accessToken })).toEqual(references);
  });

  test("names what a step-up has shown from the next refresh on", async () => {
    const person = await signUpVerified();
    const passkey = await addPasskey(person);
    await call("POST", "/auth/step-up", { token: person.token, body: await stepUpBody(person, passkey) });
    expect(amrOf(await refreshed(person))).toContain("mfa");
  });

  test("is absent in a session from before it was stored", async () => {
    const person = await signUp();
    await env.DB.prepare("UPDATE sessions SET amr = NULL WHERE user_id = ?").bind(person.userId).run();
    expect(Object.keys(claimsOf(await refreshed(person)))).not.toContain("amr");
  });
});
