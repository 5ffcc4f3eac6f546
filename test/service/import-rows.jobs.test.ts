/** What an import does with a row: for somebody who has an account, and when it is refused. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { importPeople as importByExample } from "../../src/docs/pages/moving-in/import";
import { call, signUp, signUpVerified } from "../support/client";
import { FIREBASE } from "../support/imported-hashes";
import {
  callImports,
  ended,
  endImports,
  forgetImporter,
  IMPORTED_HASH,
  importKey,
  importPeople,
  logInAs,
  ndjson,
  newExternalId,
  newRow,
  PASSKEY_JWK,
  readOne,
  reportOf,
  sendPeople,
  TOTP_SECRET,
  userOf,
} from "../support/imports";
import { serviceFetch } from "../support/sdk";

vi.setConfig({ testTimeout: 60_000 });

beforeAll(() => forgetImporter());
afterEach(endImports);

describe("somebody who has an account", () => {
  test("is skipped, unless the import completes accounts", async () => {
    const row = newRow({ externalId: newExternalId() });
    await importPeople([row]);
    const more = { ...row, name: "Ada", password: { hash: IMPORTED_HASH }, totp: { secret: TOTP_SECRET } };
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
    const row = { email: owner.email, emailVerified: false, password: { hash: IMPORTED_HASH.replace("tial", "Tial") } };
    const memberships = [{ tenant: owner.tenantId, role: "viewer" }];
    const { report } = await importPeople([{ ...row, memberships }], { onExisting: "update" });
    expect(report[0]).toMatchObject({ outcome: "skipped", reason: "unchanged" });
    expect((await logInAs(owner.email)).status).toBe(200);
    expect(await userOf(owner.email)).toMatchObject({ emailVerified: true, tenants: [{ role: "owner" }] });
  });

  test("gets another imported hash as long as nobody has signed in with the first one", async () => {
    const row = newRow({ password: { hash: IMPORTED_HASH.replace("tial", "Tial") } });
    await importPeople([row]);
    await importPeople([{ ...row, password: { hash: IMPORTED_HASH } }], { onExisting: "update" });
    expect((await logInAs(row.email)).status).toBe(200);
    const { report } = await importPeople([row], { onExisting: "update" });
    expect(report[0]?.reason).toBe("unchanged");
  });

  test("is left alone by a second run of the same import, with a hash that nobody has used too", async () => {
    const row = newRow({ externalId: newExternalId(), password: { hash: IMPORTED_HASH } });
    const { done: first } = await importPeople([row]);
    const { done, report } = await importPeople([row], { onExisting: "update" });
    expect([done.updated, report[0]?.outcome, report[0]?.reason]).toEqual([0, "skipped", "unchanged"]);
    const { id } = await userOf(row.email);
    const updates = "SELECT count(*) AS count FROM audit_events WHERE target_id = ? AND action = 'user.updated'";
    expect(await readOne(updates, id)).toEqual({ count: 0 });
    expect((await callImports("GET", `/${first.id}`)).body.data.waiting).toBe(1);
  });

  test("gets the same hash of Firebase again only with other settings", async () => {
    const row = newRow({ password: FIREBASE.hash });
    const outcomes: unknown[] = [];
    for (const saltSeparator of [FIREBASE.settings.saltSeparator, FIREBASE.settings.saltSeparator, "Cg==", "Cg=="]) {
      const hashSettings = { firebase: { ...FIREBASE.settings, saltSeparator } };
      const { report } = await importPeople([row], { onExisting: "update", hashSettings });
      outcomes.push(report[0]?.reason ?? report[0]?.outcome);
    }
    expect(outcomes).toEqual(["created", "unchanged", "updated", "unchanged"]);
  });

  test("takes another address until the first sign-in", async () => {
    const externalId = newExternalId();
    await importPeople([newRow({ externalId, password: { hash: IMPORTED_HASH } })]);
    const moved = newRow({ externalId });
    expect((await importPeople([moved], { onExisting: "update" })).report[0]?.outcome).toBe("updated");
    expect((await logInAs(moved.email)).status).toBe(200);
    const { report } = await importPeople([newRow({ externalId })], { onExisting: "update" });
    expect(report[0]).toMatchObject({ outcome: "refused", reason: "The account has another address" });
  });

  test("loses what a squatter has set up, when the row vouches for the address", async () => {
    const squatter = await signUp();
    const row = newRow({ email: squatter.email, password: { hash: IMPORTED_HASH }, name: "Ada" });
    expect((await importPeople([row], { onExisting: "update" })).report[0]?.outcome).toBe("updated");
    expect((await call("GET", "/auth/me", { token: squatter.token })).status).toBe(401);
    expect(await userOf(row.email)).toMatchObject({ name: "Ada", emailVerified: true, tenants: [] });
    expect((await logInAs(row.email)).status).toBe(200);
  });
});

describe("a row is refused", () => {
  const taken = { provider: "github", subject: crypto.randomUUID() };
  const knownId = newExternalId();
  const [known, other] = [newRow({ externalId: knownId, identities: [taken] }), newRow()];
  beforeAll(() => importPeople([known, other]));

  test.each([
    ["that is no object", "[]", "Must be a JSON object"],
    ["that is no JSON", "{", "Must be a JSON object"],
    ["without an address", {}, "email: "],
    ["of two people", { email: other.email, externalId: knownId }, "two accounts"],
    ["with another externalId", { email: known.email, externalId: "other" }, "another externalId"],
    ["with a hash that is not taken", newRow({ password: { hash: "5f4dcc3b5aa765d6" } }), "hash kind is not taken"],
    [
      "with a tenant that is not there",
      newRow({ memberships: [{ tenant: "ext:no", role: "owner" }] }),
      "no such tenant",
    ],
    ["with the platform's tenant", newRow({ memberships: [{ tenant: "platform", role: "owner" }] }), "no such tenant"],
    ["with an unknown role", newRow({ memberships: [{ tenant: "ext:no", role: "king" }] }), "memberships.0.role"],
    ["with the identity of somebody else", newRow({ identities: [taken] }), "identities.0: Belongs to another account"],
    [
      "with the passkey of another host",
      newRow({ passkeys: [{ id: "a", publicKey: PASSKEY_JWK, rpId: "b" }] }),
      "rpId",
    ],
    ["with a passkey of another kind", newRow({ passkeys: [{ id: "a", publicKey: {}, rpId: "localhost" }] }), "JWK"],
    [
      "with a passkey whose key is no base64url",
      newRow({ passkeys: [{ id: "a", publicKey: { kty: "OKP", crv: "Ed25519", x: "A" }, rpId: "localhost" }] }),
      "JWK",
    ],
    ["of Microsoft without its tenant", newRow({ identities: [{ provider: "microsoft", subject: "s" }] }), "issuer"],
    ["from the future", newRow({ createdAt: "2999-01-01T00:00:00Z" }), "createdAt: Must be in the past"],
    ["of an operator", newRow({ email: "operator@example.com" }), "operator"],
    ["with a secret that is no base32", newRow({ totp: { secret: "0189" } }), "totp.secret"],
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
    const rows = [1, 2].map(() => newRow({ memberships: [{ tenant: tenantId, role: "viewer" }] }));
    const { report } = await importPeople(rows);
    expect(report.map(({ outcome }) => outcome)).toEqual(["created", "refused"]);
    expect(await readOne("SELECT id FROM users WHERE email = ?", rows[1]?.email)).toBeNull();
  });
});

test("a row that cannot be read is refused whatever reading it meets, and the others come in", async () => {
  const rows = [newRow(), newRow({ name: "Ada" }), newRow()];
  const isWellFormed = String.prototype.isWellFormed;
  vi.spyOn(String.prototype, "isWellFormed").mockImplementation(function (this: string) {
    if (String(this) === "Ada") throw new TypeError("nobody expects this");
    return isWellFormed.call(this);
  });
  const { done, report } = await importPeople(rows).finally(() => vi.restoreAllMocks());
  expect(done).toMatchObject({ state: "finished", created: 2, refused: 1 });
  expect(report[1]).toMatchObject({ outcome: "refused", reason: "The row could not be read" });
});

test("rows that cost as much as 64 KiB can are refused or read in one pass, and the others come in", async () => {
  const nested = "[".repeat(30_000) + "]".repeat(30_000);
  const runOfPadding = `$argon2id$v=19$m=65536,t=2,p=1$${"=".repeat(60_000)}x$c29tZXNhbHQ`;
  const rows = [
    nested,
    `{"email":"${newRow().email}","more":${nested}}`,
    JSON.stringify(newRow({ password: { hash: runOfPadding } })),
    `{"email":"${newRow().email}","memberships":[${"0,".repeat(30_000)}0]}`,
    JSON.stringify(newRow()),
  ];
  const { status, body } = await sendPeople("POST", "", rows.join("\n"));
  expect(status).toBe(202);
  expect((await ended(body.data.id)).state).toBe("finished");
  const outcomes = (await reportOf(body.data.id)).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(["refused", "created", "refused", "refused", "created"]);
});

test("a password whose hash is out of bounds is left out and counted, and the person comes in", async () => {
  const tag = "$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8";
  const rows = [`$pbkdf2-sha256$i=2000001${tag}`, `$argon2id$v=19$m=131073,t=1,p=1${tag}`, IMPORTED_HASH].map((hash) =>
    newRow({ password: { hash }, metadata: {} }),
  );
  const { done, report } = await importPeople(rows);
  expect(done).toMatchObject({ created: 3, refused: 0, withoutPassword: 2, waiting: 1 });
  expect(report.map(({ ignored }) => ignored)).toEqual([
    ["metadata", "password"],
    ["metadata", "password"],
    ["metadata"],
  ]);
  expect(report[0]?.reason).toBe("password.hash: the iterations of PBKDF2 with sha256 must be 1 to 2000000");
  expect(JSON.stringify(report)).not.toContain("2000001");
});

test("the example of the docs is on its page, and works", async () => {
  const [page] = Object.values(
    import.meta.glob("../../src/docs/pages/moving-in.md", { query: "?raw", import: "default", eager: true }),
  );
  const [example] = Object.values(
    import.meta.glob("../../src/docs/pages/moving-in/import.ts", { query: "?raw", import: "default", eager: true }),
  );
  expect(page).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
  vi.stubGlobal("fetch", serviceFetch);
  const parts = [ndjson([newRow(), {}]), ndjson([newRow()])];
  const refused = await importByExample("http://postern.test", await importKey(), parts).finally(() =>
    vi.unstubAllGlobals(),
  );
  expect(refused).toEqual([expect.objectContaining({ line: 2, outcome: "refused" })]);
});
