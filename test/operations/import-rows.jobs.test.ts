/** What an import does with a row: for somebody who has an account, and when it is refused. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { call, newEmail, PASSWORD, signUp, signUpVerified } from "../support/client";
import { ended, forgetImporter, importKey, importPeople, reportOf, sendPeople } from "../support/imports";

vi.setConfig({ testTimeout: 60_000 });

/** PBKDF2 of PASSWORD, made with Python's hashlib. */
const HASH = "$pbkdf2-sha256$i=1000$c29tZXNhbHQ$tialtnUVXehIAQR5duFwgQ/NykFia+syCsDEaTVcejk";
const SECRET = "JBSWY3DPEHPK3PXP";
const JWK = {
  kty: "EC",
  crv: "P-256",
  x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
  y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
};

const newExternalId = () => `ext-${crypto.randomUUID()}`;
const person = (fields: Record<string, unknown> & { email?: string } = {}) => ({
  email: newEmail(),
  emailVerified: true,
  ...fields,
});
const userOf = async (email: string) =>
  (await call("GET", `/platform/users/${encodeURIComponent(`email:${email}`)}`, { token: await importKey() })).body
    .data;
const one = async <T>(sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .first<T>();
const _newTenant = async (fields: object = {}) =>
  (await call("POST", "/platform/tenants", { token: await importKey(), body: { name: "Shop", ...fields } })).body.data;
const login = (email: string, totp?: string) =>
  call("POST", "/auth/login", { body: { email, password: PASSWORD, ...(totp ? { totp } : {}) } });

beforeAll(() => forgetImporter());
afterEach(async () => {
  await env.DB.batch([
    env.DB.prepare("UPDATE imports SET state = 'stopped', ended_at = 1 WHERE state IN ('open', 'running')"),
    // Otherwise refused logins of other files would take half a second each.
    env.DB.prepare("UPDATE users SET password_hash = '' WHERE password_kind IS NOT NULL"),
  ]);
});

describe("somebody who has an account", () => {
  test("is skipped, unless the import completes accounts", async () => {
    const row = person({ externalId: newExternalId() });
    await importPeople([row]);
    const more = { ...row, name: "Ada", password: { hash: HASH }, totp: { secret: SECRET } };
    expect((await importPeople([more])).report[0]).toMatchObject({ outcome: "skipped", reason: "already exists" });
    const { report, done } = await importPeople([more, more], { onExisting: "update" });
    expect(report.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ["updated", undefined],
      ["skipped", "unchanged"],
    ]);
    expect(done).toMatchObject({ updated: 1, skipped: 1 });
    expect(await userOf(row.email)).toMatchObject({ name: "Ada", twoFactorEnabled: true });
  });

  test("keeps a password, a second factor and a role", async () => {
    const owner = await signUpVerified();
    const row = { email: owner.email, emailVerified: false, password: { hash: HASH.replace("tial", "Tial") } };
    const memberships = [{ tenant: owner.tenantId, role: "viewer" }];
    const { report } = await importPeople([{ ...row, memberships }], { onExisting: "update" });
    expect(report[0]).toMatchObject({ outcome: "skipped", reason: "unchanged" });
    expect((await login(owner.email)).status).toBe(200);
    expect(await userOf(owner.email)).toMatchObject({ emailVerified: true, tenants: [{ role: "owner" }] });
  });

  test("gets another imported hash as long as nobody has signed in with the first one", async () => {
    const row = person({ password: { hash: HASH.replace("tial", "Tial") } });
    await importPeople([row]);
    await importPeople([{ ...row, password: { hash: HASH } }], { onExisting: "update" });
    expect((await login(row.email)).status).toBe(200);
    const { report } = await importPeople([row], { onExisting: "update" });
    expect(report[0]?.reason).toBe("unchanged");
  });

  test("takes another address until the first sign-in", async () => {
    const externalId = newExternalId();
    await importPeople([person({ externalId, password: { hash: HASH } })]);
    const moved = person({ externalId });
    expect((await importPeople([moved], { onExisting: "update" })).report[0]?.outcome).toBe("updated");
    expect((await login(moved.email)).status).toBe(200);
    const { report } = await importPeople([person({ externalId })], { onExisting: "update" });
    expect(report[0]).toMatchObject({ outcome: "refused", reason: "The account has another address" });
  });

  test("loses what a squatter has set up, when the row vouches for the address", async () => {
    const squatter = await signUp();
    const row = person({ email: squatter.email, password: { hash: HASH }, name: "Ada" });
    expect((await importPeople([row], { onExisting: "update" })).report[0]?.outcome).toBe("updated");
    expect((await call("GET", "/auth/me", { token: squatter.token })).status).toBe(401);
    expect(await userOf(row.email)).toMatchObject({ name: "Ada", emailVerified: true, tenants: [] });
    expect((await login(row.email)).status).toBe(200);
  });
});

describe("a row is refused", () => {
  const taken = { provider: "github", subject: crypto.randomUUID() };
  const knownId = newExternalId();
  const [known, other] = [person({ externalId: knownId, identities: [taken] }), person()];
  beforeAll(() => importPeople([known, other]));

  test.each([
    ["that is no object", "[]", "Must be a JSON object"],
    ["that is no JSON", "{", "Must be a JSON object"],
    ["without an address", {}, "email: "],
    ["of two people", { email: other.email, externalId: knownId }, "two accounts"],
    ["with another externalId", { email: known.email, externalId: "other" }, "another externalId"],
    ["with a hash that is not taken", person({ password: { hash: "5f4dcc3b5aa765d6" } }), "hash kind is not taken"],
    [
      "with a tenant that is not there",
      person({ memberships: [{ tenant: "ext:no", role: "owner" }] }),
      "no such tenant",
    ],
    ["with the platform's tenant", person({ memberships: [{ tenant: "platform", role: "owner" }] }), "no such tenant"],
    ["with an unknown role", person({ memberships: [{ tenant: "ext:no", role: "king" }] }), "memberships.0.role"],
    ["with the identity of somebody else", person({ identities: [taken] }), "identities.0: Belongs to another account"],
    ["with the passkey of another host", person({ passkeys: [{ id: "a", publicKey: JWK, rpId: "b" }] }), "rpId"],
    ["with a passkey of another kind", person({ passkeys: [{ id: "a", publicKey: {}, rpId: "localhost" }] }), "JWK"],
    ["of Microsoft without its tenant", person({ identities: [{ provider: "microsoft", subject: "s" }] }), "issuer"],
    ["from the future", person({ createdAt: "2999-01-01T00:00:00Z" }), "createdAt: Must be in the past"],
    ["of an operator", person({ email: "operator@example.com" }), "operator"],
    ["with a secret that is no base32", person({ totp: { secret: "0189" } }), "totp.secret"],
  ])("%s", async (_name, row, reason) => {
    const text = typeof row === "string" ? row : JSON.stringify(row);
    const started = await sendPeople("POST", "?onExisting=update", text);
    expect(await ended(started.body.data.id)).toMatchObject({ refused: 1, created: 0, updated: 0 });
    const [line] = await reportOf(started.body.data.id);
    expect(line?.reason).toContain(reason);
    expect(line?.reason).not.toContain("5f4dcc3b5aa765d6");
  });

  test("whole: a member too many makes no account", async () => {
    const { tenantId } = await signUpVerified();
    const query = `INSERT INTO memberships (tenant_id, user_id, role, created_at) SELECT ?1, 'm' || key, 'viewer', 0
      FROM json_each(?2)`;
    await env.DB.prepare(query)
      .bind(tenantId, JSON.stringify(Array(998).fill(0)))
      .run();
    const rows = [1, 2].map(() => person({ memberships: [{ tenant: tenantId, role: "viewer" }] }));
    const { report } = await importPeople(rows);
    expect(report.map(({ outcome }) => outcome)).toEqual(["created", "refused"]);
    expect(await one("SELECT id FROM users WHERE email = ?", rows[1]?.email)).toBeNull();
  });
});
