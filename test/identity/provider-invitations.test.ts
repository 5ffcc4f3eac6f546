/** Accepting an invitation by signing in with a provider. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { call, newEmail, type Person, signUpVerified } from "../support/client";
import { type Browser, exchange, newBrowser, newPersonAtProvider, trip } from "../support/oauth";
import { invite } from "../support/people";

const CLOSED = { REGISTRATION: "invite" };

const acceptAs = async (browser: Browser, token: string, claims: Record<string, unknown>, fields: object = {}) =>
  exchange(browser, await trip(browser, newPersonAtProvider(claims), `?invitationToken=${token}`), { ...fields });
const me = async (token: string) => (await call("GET", "/auth/me", { token })).body.data;
const tenantsOf = async (token: string) => {
  const { data } = (await call("GET", "/tenants", { token })).body;
  return (data as { id: string; role: string }[]).map(({ id, role }) => [id, role]).sort();
};
const accounts = (email: string) =>
  env.DB.prepare("SELECT count(*) AS n FROM users WHERE email = ?").bind(email).first<number>("n");
const openInvitations = async ({ token }: Person) => (await call("GET", "/invitations", { token })).body.data.length;

test("somebody without an account joins the tenant with a new one, also where registration is closed", async () => {
  const host = await signUpVerified();
  const email = newEmail();
  const token = await invite(host, email, "developer");
  const { status, body } = await acceptAs(newBrowser(CLOSED), token, { email, email_verified: false });
  expect(status).toBe(200);
  const { accessToken } = body.data;
  expect(await me(accessToken)).toMatchObject({ email, emailVerified: true, tenant: { id: host.tenantId } });
  expect(await tenantsOf(accessToken)).toEqual([[host.tenantId, "developer"]]);
  expect(await openInvitations(host)).toBe(0);
  const { data } = (await call("GET", "/audit?limit=3", { token: host.token })).body;
  expect(data.map(({ action, meta }: { action: string; meta: unknown }) => [action, meta])).toEqual([
    ["auth.login", { method: "provider", provider: "oidc", factor: null }],
    ["member.joined", { role: "developer" }],
    ["auth.registered", { provider: "oidc" }],
  ]);
});

test("somebody with an account joins with it, and somebody with another address signs in only", async () => {
  const [host, guest, other] = [await signUpVerified(), await signUpVerified(), await signUpVerified()];
  const token = await invite(host, guest.email, "viewer");
  const stranger = await acceptAs(newBrowser({ LINK_BY_EMAIL: "always" }), token, { email: other.email });
  expect(await tenantsOf(stranger.body.data.accessToken)).toEqual([[other.tenantId, "owner"]]);
  expect(await openInvitations(host)).toBe(1);
  const { body } = await acceptAs(newBrowser({ LINK_BY_EMAIL: "always" }), token, { email: guest.email });
  expect(await tenantsOf(body.data.accessToken)).toEqual(
    [
      [guest.tenantId, "owner"],
      [host.tenantId, "viewer"],
    ].sort(),
  );
  expect(await openInvitations(host)).toBe(0);
});

test("no account is made for another address, a wrong token, another tenant, or a tenant without room", async () => {
  const host = await signUpVerified();
  const [email, another] = [newEmail(), newEmail()];
  const token = await invite(host, email, "viewer");
  const refusal = async (browser: Browser, given: string, address: string, fields = {}) => {
    const { status, body } = await acceptAs(browser, given, { email: address }, fields);
    return [status, body.code];
  };
  expect(await refusal(newBrowser(CLOSED), token, another)).toEqual([400, "INVALID_TOKEN"]);
  expect(await refusal(newBrowser(), "c0ffee", another)).toEqual([400, "INVALID_TOKEN"]);
  const { tenantId } = await signUpVerified();
  expect(await refusal(newBrowser(), token, email, { tenantId })).toEqual([404, "NOT_FOUND"]);
  expect(await refusal(newBrowser({ MAX_MEMBERS_PER_TENANT: "1" }), token, email)).toEqual([409, "CONFLICT"]);
  expect([await accounts(email), await accounts(another)]).toEqual([0, 0]);
  expect(await refusal(newBrowser(), token, email, { tenantId: host.tenantId })).toEqual([200, undefined]);
});

test("of parallel sign-ins with one invitation, one makes an account", async () => {
  const host = await signUpVerified();
  const email = newEmail();
  const token = await invite(host, email, "viewer");
  const trips = Array.from({ length: 4 }, async () => {
    const browser = newBrowser();
    return { browser, code: await trip(browser, newPersonAtProvider({ email }), `?invitationToken=${token}`) };
  });
  const back = await Promise.all(trips);
  const answers = await Promise.all(back.map(({ browser, code }) => exchange(browser, code)));
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  for (const { status } of answers) expect([200, 400, 409]).toContain(status);
  expect(await accounts(email)).toBe(1);
  const members = (await call("GET", "/members", { token: host.token })).body.data;
  expect(members).toHaveLength(2);
});
