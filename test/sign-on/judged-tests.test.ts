/** A test of a connection is judged as the sign-on of its person would be, and does nothing to anybody. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { utf8 } from "../../src/base/crypto/encoding";
import { wholeClaims } from "../../src/sign-on/traces/record";
import { call, newEmail, type Person, signUpVerified } from "../support/client";
import { vouchedDomain } from "../support/domains";
import { connect, testConnection } from "../support/sign-on";
import { memberOf, moveInto, one } from "../support/signed-on";

let owner: Person;
let id = "";
let domain = "";
let elsewhere: Person;
let known: Person;
const KNOWN = `known-${crypto.randomUUID()}`;

beforeAll(async () => {
  owner = await signUpVerified();
  domain = await vouchedDomain(owner.tenantId);
  const roles = { rules: [{ group: "Admins", role: "admin" }] };
  ({ id } = await connect(owner, { roles }));
  const of = { id, tenantId: owner.tenantId, domain };
  [elsewhere, known] = [await moveInto(of, await signUpVerified()), await moveInto(of, await signUpVerified())];
  await env.DB.prepare(
    `INSERT INTO connection_identities (connection_id, generation, subject, id, user_id, email, is_maker, created_at)
     VALUES (?, 1, ?, ?, ?, ?, 0, 1)`,
  )
    .bind(id, KNOWN, crypto.randomUUID(), known.userId, known.email)
    .run();
});

/** All claims that the connection reads, so that userinfo is not asked. */
const withAll = (email: string) => ({ email, name: "Ada", groups: [] });
const newPerson = () => withAll(`new-${crypto.randomUUID()}@${domain}`);

test.each<[string, () => Record<string, unknown>, object]>([
  ["somebody new", newPerson, { account: "made", role: "member", rule: null }],
  ["a group", () => ({ ...newPerson(), groups: ["Admins"] }), { account: "made", role: "admin", rule: 0 }],
  ["an account elsewhere", () => withAll(elsewhere.email), { account: "linked", role: "member", rule: null }],
  [
    "a known subject",
    () => ({ ...withAll(known.email), sub: KNOWN }),
    { account: "found", role: "member", rule: null },
  ],
])("of %s it is good, and says what would be done", async (_, claims, would) => {
  const { trace } = await testConnection(owner, id, claims());
  expect(trace).toMatchObject({ outcome: "succeeded", would: { ...would, domain } });
});

test.each<[string, () => Record<string, unknown>, string, Record<string, unknown>?]>([
  ["another domain", () => withAll(newEmail()), "domain_not_proved"],
  ["no address", () => withAll("none"), "no_email"],
  ["an address that is not verified", () => ({ ...newPerson(), email_verified: false }), "email_unverified"],
  ["the address of somebody known", () => withAll(known.email), "subject_changed"],
  ["an operator", () => withAll("operator@example.com"), "operator"],
  ["somebody for whom there is no room", newPerson, "cap", { MAX_MEMBERS_PER_TENANT: "1" }],
])("of %s it is refused, as a sign-on", async (_, claims, reason, variables) => {
  const { trace } = await testConnection(owner, id, claims(), variables);
  expect(trace).toMatchObject({ outcome: "refused", step: "person", reason, would: { account: null } });
});

test("a test from which the browser does not come back says what that mostly is", async () => {
  const started = await call("POST", `/tenant/connections/${id}/test`, { token: owner.token });
  const at = `/tenant/connections/${id}/traces/${started.body.data.traceId}`;
  const { outcome, message } = (await call("GET", at, { token: owner.token })).body.data;
  expect([outcome, /redirect URI.*client ID/.test(message)]).toEqual(["started", true]);
});

test("it makes and links nobody", async () => {
  const person = newPerson();
  await testConnection(owner, id, person);
  await testConnection(owner, id, withAll(elsewhere.email));
  expect(await one("SELECT 1 FROM users WHERE email = ?", person.email)).toBeNull();
  expect(await memberOf(owner.tenantId, elsewhere.userId)).toBeNull();
  expect(await one("SELECT 1 FROM connection_identities WHERE user_id = ?", elsewhere.userId)).toBeNull();
});

test("what is kept of claims has at most 8 KiB in bytes, as an answer by SAML takes it through a URL", () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, nth) => [`名${nth}`, "字".repeat(100)]));
  const bytes = utf8(JSON.stringify(wholeClaims(many))).length;
  expect(bytes).toBeGreaterThan(7 * 1024);
  expect(bytes).toBeLessThanOrEqual(8 * 1024);
});
