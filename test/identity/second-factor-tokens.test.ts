/** A second factor that a tenant requires, in other services: what tokens say there, and which are revoked. */
import { decodeJwt } from "jose";
import { afterEach, expect, test, vi } from "vitest";
import { createSessionVerifier, SessionError } from "../../src/sdk/session";
import { call, logIn, type Person, signUpVerified } from "../support/client";
import { costOf } from "../support/cost";
import { addPasskey, loginWith } from "../support/passkeys";
import { invite, joinTenant } from "../support/people";
import { refresh } from "../support/revocations";
import { serviceFetch } from "../support/sdk";
import { codeOf, enrol } from "../support/two-factor";

afterEach(() => void vi.useRealTimers());

const DAY_MS = 86_400_000;
const at = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: ms });
const later = (seconds: number) => at(Date.now() + seconds * 1000);

const require = (owner: Person, graceDays = 0, requireSecondFactor = "all") =>
  call("PATCH", "/tenant/security", { token: owner.token, body: { requireSecondFactor, graceDays } });

/** An owner with a second factor, and a member without one. */
async function world(): Promise<{ owner: Person; secret: string; member: Person }> {
  const owner = await signUpVerified();
  return { owner, secret: await enrol(owner), member: await joinTenant(owner, "developer") };
}

/** What another service makes of a token: the reason of a refusal and the status to answer, or the role. */
async function elsewhere(token: string): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const options = { issuer: "https://postern.test", audience: "postern", now: () => Date.now() };
  createSessionVerifier({ ...options, fetch: serviceFetch })
    .verify(token)
    .then(
      ({ role }) => resolve(role),
      (error: unknown) => resolve(error instanceof SessionError ? `${error.status} ${error.reason}` : error),
    );
  return promise;
}
const DUE = "403 SECOND_FACTOR_REQUIRED";
const REVOKED = "401 REVOKED";

test("a session that owes one gets tokens that open nothing, by whichever way, until it has one", async () => {
  const { owner, member } = await world();
  await require(owner);
  later(2);
  const again = await logIn(member);
  const refreshed = (await refresh(again.refreshToken)).body.data;
  const tokens = [again.token, refreshed.accessToken as string];
  for (const token of tokens) {
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({ sub: member.userId, tid: owner.tenantId, scope: "", second_factor_due: true });
    expect(claims).not.toHaveProperty("role");
    expect(await elsewhere(token)).toBe(DUE);
  }
  await enrol({ ...again, token: refreshed.accessToken });
  const { accessToken } = (await refresh(refreshed.refreshToken)).body.data;
  expect(await elsewhere(accessToken)).toBe("developer");
  expect(decodeJwt(accessToken)).not.toHaveProperty("second_factor_due");
});

test("a switch to the tenant gives such a token, and one back does not", async () => {
  const { owner } = await world();
  await require(owner);
  const guest = await signUpVerified();
  const body = { token: await invite(owner, guest.email, "viewer") };
  await call("POST", "/invitations/accept", { token: guest.token, body });
  const switched = async (token: string, { tenantId }: Person): Promise<string> =>
    (await call("POST", "/auth/switch-tenant", { token, body: { tenantId } })).body.data.accessToken;
  const there = await switched(guest.token, owner);
  expect(await elsewhere(there)).toBe(DUE);
  later(2);
  expect(await elsewhere(await switched(there, guest))).toBe("owner");
});

test("turning the policy on revokes what is out of those who owe one, and of nobody else", async () => {
  const { owner, member } = await world();
  const secured = await joinTenant(owner, "developer");
  await enrol(secured);
  later(2);
  expect(await elsewhere(member.token)).toBe("developer");
  expect((await require(owner, 0, "admins")).status).toBe(200);
  later(5);
  expect(await elsewhere(member.token)).toBe("developer");
  expect((await require(owner)).status).toBe(200);
  later(5);
  expect(await elsewhere(member.token)).toBe(REVOKED);
  expect(await elsewhere((await refresh(member.refreshToken)).body.data.accessToken)).toBe(DUE);
  expect(await elsewhere(secured.token)).toBe("developer");
  expect(await elsewhere(owner.token)).toBe("owner");
});

test("a passkey counts in the sessions that it has opened", async () => {
  const { owner, member } = await world();
  const passkey = await addPasskey(member);
  await require(owner);
  later(5);
  expect(await elsewhere(member.token)).toBe(REVOKED);
  expect(await elsewhere((await loginWith(passkey)).body.data.accessToken)).toBe("developer");
});

test("at the end of the grace period tokens end too, and before it they say nothing", async () => {
  const { owner, member } = await world();
  const { enforcedFrom } = (await require(owner, 1)).body.data;
  const endMs = Date.parse(enforcedFrom);
  expect(endMs - Date.now()).toBeGreaterThan(0.9 * DAY_MS);
  expect(await elsewhere(member.token)).toBe("developer");
  at(endMs - 60_000);
  const last = (await refresh(member.refreshToken)).body.data;
  expect(await elsewhere(last.accessToken)).toBe("developer");
  expect(decodeJwt(last.accessToken)).toMatchObject({ role: "developer", exp: Math.floor(endMs / 1000) });
  at(endMs + 5_000);
  expect(await elsewhere(last.accessToken)).toBe("401 EXPIRED");
  expect(await elsewhere((await refresh(last.refreshToken)).body.data.accessToken)).toBe(DUE);
});

test("who gives up the second factor has tokens revoked in the tenants that require one", async () => {
  const { owner, member } = await world();
  const secret = await enrol(member);
  await require(owner);
  later(5);
  const { token } = await loggedInWith(member, codeOf(secret));
  expect(await elsewhere(token)).toBe("developer");
  expect((await call("POST", "/auth/2fa/disable", { token, body: { token: codeOf(secret, 1) } })).status).toBe(200);
  later(5);
  expect(await elsewhere(token)).toBe(REVOKED);
});

test("and with the passkey that opened the session too", async () => {
  const { owner, member } = await world();
  const passkey = await addPasskey(member);
  await require(owner);
  later(5);
  const { accessToken: token } = (await loginWith(passkey)).body.data;
  expect(await elsewhere(token)).toBe("developer");
  expect((await call("DELETE", `/auth/passkeys/${passkey.id}`, { token })).status).toBe(200);
  later(5);
  expect(await elsewhere(token)).toBe(REVOKED);
});

test("a tenant without a policy pays no trip and no row for it", async () => {
  const { member } = await world();
  const cost = await costOf("POST", "/auth/refresh", { body: { refreshToken: member.refreshToken } });
  expect(cost).toEqual({ status: 200, trips: 1, rowsWritten: 2 });
});

async function loggedInWith(person: Person, totp: string): Promise<{ token: string }> {
  const { body } = await call("POST", "/auth/login", {
    body: { email: person.email, password: "correct horse battery staple", totp, tenantId: person.tenantId },
  });
  return { token: body.data.accessToken };
}
