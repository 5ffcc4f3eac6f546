/** Whom a sign-on by SAML opens a session for, what the session is like, and where the tenant requires it. */
import { beforeAll, expect, test } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { vouchedDomain } from "../support/domains";
import { inside, require, run } from "../support/enforcing";
import { newBrowser } from "../support/oauth";
import { joinTenant } from "../support/people";
import { EMAIL_FORMAT, newSamlProvider, type Said } from "../support/saml-provider";
import {
  arriveBySaml,
  connectSaml,
  exchange,
  leaveForSaml,
  openSaml,
  type SamlConnection,
} from "../support/saml-sign-on";
import { memberOf, one } from "../support/signed-on";
import { enrol } from "../support/two-factor";

const MINUTE = 60_000;
const CLAIMS = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";
const MICROSOFT = "http://schemas.microsoft.com";

let owner: Person;
let connection: SamlConnection;
let domain = "";
beforeAll(async () => {
  owner = await signUpVerified();
  connection = await connectSaml(owner, await newSamlProvider(), {
    roles: {
      rules: [
        { group: "Admins", role: "admin" },
        { claim: "department", equals: "sales", role: "viewer" },
      ],
    },
  });
  domain = await vouchedDomain(owner.tenantId);
  await openSaml(owner, connection);
});

const address = () => `ada-${crypto.randomUUID()}@${domain}`;
const change = (body: object) => call("PATCH", `/tenant/connections/${connection.id}`, { token: owner.token, body });

async function signOn(said: Partial<Said>) {
  const browser = newBrowser();
  const departure = await leaveForSaml(browser, `?connection=${connection.id}`);
  const back = await arriveBySaml(browser, connection, departure, said);
  return { back, departure, answer: await exchange(browser, back) };
}

/** As `signOn`, of somebody who gets in. */
async function signedOn(said: Partial<Said>) {
  const { answer } = await signOn(said);
  if (answer.status !== 200) throw new Error(`the exchange answered ${answer.status} ${JSON.stringify(answer.body)}`);
  const token: string = answer.body.data.accessToken;
  return { token, me: (await call("GET", "/auth/me", { token })).body.data };
}

const idOf = (email: string) => one<{ id: string }>("SELECT id FROM users WHERE email = ?", email);

test.each<[string, (email: string) => Partial<Said>]>([
  ["the attribute email", (email) => ({ attributes: { email, name: "Ada King" } })],
  [
    "what Entra and AD FS send",
    (email) => ({
      attributes: { [`${CLAIMS}/emailaddress`]: email, [`${MICROSOFT}/identity/claims/displayname`]: "Ada King" },
    }),
  ],
  ["what LDAP calls it", (email) => ({ attributes: { mail: email, displayName: "Ada King" } })],
  [
    "the object identifier",
    (email) => ({
      attributes: { "urn:oid:0.9.2342.19200300.100.1.3": email, "urn:oid:2.16.840.1.113730.3.1.241": "Ada King" },
    }),
  ],
])("the address and the name come from %s", async (_, said) => {
  const email = address();
  const { me } = await signedOn({ subject: crypto.randomUUID(), ...said(email) });
  expect([me.email, me.name]).toEqual([email, "Ada King"]);
});

test("the address is the NameID where nothing else has it, and the names of the connection come first", async () => {
  const email = address();
  expect((await signedOn({ subject: email, format: EMAIL_FORMAT })).me.email).toBe(email);
  await change({ attributes: { email: "work.address" } });
  const own = address();
  const attributes = { "work.address": own, email: address(), sub: "somebody", email_verified: "true" };
  expect((await signedOn({ subject: crypto.randomUUID(), attributes })).me.email).toBe(own);
  await change({ attributes: null });
});

test("groups and attributes give roles; what Entra has left out changes none", async () => {
  const roleAfter = async (subject: string, email: string, more: Record<string, string | string[]>) => {
    await signedOn({ subject, attributes: { email, ...more } });
    return (await memberOf(owner.tenantId, (await idOf(email))?.id ?? ""))?.role;
  };
  const [subject, email] = [crypto.randomUUID(), address()];
  expect(await roleAfter(subject, email, { groups: ["Users", "Admins"] })).toBe("admin");
  expect(await roleAfter(subject, email, { [`${MICROSOFT}/claims/groups.link`]: "https://graph.example" })).toBe(
    "admin",
  );
  expect(await roleAfter(subject, email, { department: "sales" })).toBe("viewer");
  expect(await roleAfter(subject, email, { [`${MICROSOFT}/ws/2008/06/identity/claims/groups`]: "Admins" })).toBe(
    "admin",
  );
});

test.each<[string, Partial<Said>, string | null]>([
  ["an address outside the proved domains", { attributes: { email: "ada@elsewhere.example" } }, "domain_not_proved"],
  ["no address", {}, "no_email"],
  ["an address that the provider has not verified", { attributes: { email_verified: "false" } }, "email_unverified"],
])("%s is refused at the exchange, with a trace", async (_, { attributes = {} }, reason) => {
  const all = reason === "email_unverified" ? { email: address(), ...attributes } : attributes;
  const { answer } = await signOn({ subject: crypto.randomUUID(), attributes: all });
  const trace = answer.body.details[0].message;
  expect([
    answer.status,
    (await one<{ reason: string }>("SELECT reason FROM sign_on_traces WHERE id = ?", trace))?.reason,
  ]).toEqual([403, reason]);
});

test("the session is confined, and ends when that at the provider does", async () => {
  const { token, me } = await signedOn({
    subject: crypto.randomUUID(),
    attributes: { email: address() },
    sessionEndsIn: 30 * MINUTE,
  });
  expect((await call("PATCH", "/auth/me", { token, body: { name: "Eve" } })).status).toBe(403);
  const session = await one<{ end: number; by: string }>(
    "SELECT expires_at AS end, connection_id AS by FROM sessions WHERE user_id = ?",
    me.id,
  );
  expect(session?.by).toBe(connection.id);
  expect(Math.abs((session?.end ?? 0) - Date.now() - 30 * MINUTE)).toBeLessThan(MINUTE);
  const long = { subject: crypto.randomUUID(), attributes: { email: address() }, sessionEndsIn: 24 * 60 * MINUTE };
  const own = await one<{ end: number }>(
    "SELECT expires_at AS end FROM sessions WHERE user_id = ?",
    (await signedOn(long)).me.id,
  );
  expect((own?.end ?? 0) - Date.now()).toBeLessThan(12 * 60 * MINUTE + MINUTE);
});

test("a second factor is one of acrValues, or what Entra and AD FS call so", async () => {
  await change({ session: { requireMfa: true } });
  const attributes = { email: address() };
  const person = { subject: crypto.randomUUID(), attributes };
  expect((await signOn(person)).back.searchParams.get("error")).toBe("sign_on_refused");
  const methods = [`${MICROSOFT}/claims/x509`, `${MICROSOFT}/claims/multipleauthn`];
  const strong = { ...attributes, [`${MICROSOFT}/claims/authnmethodsreferences`]: methods };
  expect((await signOn({ ...person, attributes: strong })).answer.status).toBe(200);
  await change({ session: { requireMfa: true, acrValues: ["https://refeds.org/profile/mfa"] } });
  const { answer, departure } = await signOn({ ...person, authnContext: "https://refeds.org/profile/mfa" });
  expect([answer.status, departure.request]).toEqual([200, expect.not.stringContaining("ForceAuthn")]);
  expect(departure.request).toContain(">https://refeds.org/profile/mfa</saml:AuthnContextClassRef>");
  await change({ session: null });
  await change({ session: { maxAgeSeconds: 600 } });
  const recent = await signOn({ ...person, authenticatedIn: -5 * MINUTE });
  expect([recent.answer.status, recent.departure.request]).toEqual([200, expect.stringContaining('ForceAuthn="true"')]);
  const old = await signOn({ ...person, authenticatedIn: -20 * MINUTE });
  expect(old.back.searchParams.get("error")).toBe("sign_on_refused");
  await change({ session: null });
});

test("a session is confirmed by another sign-on of the same person, just now, once", async () => {
  const [subject, email] = [crypto.randomUUID(), address()];
  const { token } = await signedOn({ subject, attributes: { email } });
  const confirm = async (said: Partial<Said>) => {
    const browser = newBrowser();
    const departure = await leaveForSaml(browser, `?connection=${connection.id}&purpose=step-up`);
    expect(departure.request).toContain('ForceAuthn="true"');
    const back = await arriveBySaml(browser, connection, departure, { subject, ...said });
    const code = back.searchParams.get("code");
    if (code === null) return [back.searchParams.get("error")];
    const send = () => browser.send("POST", "/api/v1/auth/step-up", { body: { signOn: code }, token });
    return [back.searchParams.get("purpose"), (await send()).status, (await send()).status];
  };
  expect(await confirm({ authenticatedIn: -MINUTE })).toEqual(["step-up", 200, 400]);
  expect(await confirm({ authenticatedIn: -4 * MINUTE })).toEqual(["sign_on_refused"]);
  expect(await confirm({ subject: crypto.randomUUID() })).toEqual(["step-up", 400, 400]);
});

test("where the tenant requires sign-on, who signs on by SAML gets in, and a password does not", async () => {
  const strict = await signUpVerified();
  const own = await connectSaml(strict, await newSamlProvider(), { roles: { default: "developer" } });
  const member = await joinTenant(strict, "developer");
  await openSaml(strict, own);
  await enrol(strict);
  await run(
    `INSERT INTO connection_identities (connection_id, generation, subject, id, user_id, is_maker, created_at)
     VALUES (?, 1, 'the-owner', ?, ?, 0, ?)`,
    own.id,
    crypto.randomUUID(),
    strict.userId,
    Date.now(),
  );
  expect((await require(strict, { require: "all", graceDays: 0 })).status).toBe(200);
  expect(await inside(member)).toBe("SIGN_ON_REQUIRED");
  const browser = newBrowser();
  const departure = await leaveForSaml(browser, `?tenant=${strict.tenantId}`);
  const email = `ada@${await vouchedDomain(strict.tenantId)}`;
  const back = await arriveBySaml(browser, own, departure, { subject: "ada", attributes: { email } });
  const { body } = await exchange(browser, back);
  expect(await inside({ token: body.data.accessToken })).toBe(200);
});
