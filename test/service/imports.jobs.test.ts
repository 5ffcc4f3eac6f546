/** Imports of people with a platform key: parts, rows, reports, and what a kill or a second run leaves. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { clearImports } from "../../src/service/imports/clear";
import { call, logIn, PASSWORD, signUp } from "../support/client";
import { FIREBASE } from "../support/imported-hashes";
import {
  callImports,
  ended,
  endImports,
  forgetImporter,
  IMPORTED_HASH,
  importPeople,
  killUntilEnded,
  logInAs,
  ndjson,
  newExternalId,
  newRow,
  newTenant,
  PASSKEY_JWK,
  readOne,
  reportOf,
  runDeps,
  runImports,
  sendPeople,
  TOTP_SECRET,
  userOf,
} from "../support/imports";
import { newPlatformKey } from "../support/platform-keys";
import { codeOf } from "../support/two-factor";
import { maintain } from "../support/upkeep";

vi.setConfig({ testTimeout: 60_000 });

beforeAll(() => forgetImporter());
afterEach(endImports);

describe("an import", () => {
  test("makes accounts with passwords, second factors, identities, passkeys and memberships", async () => {
    const tenant = await newTenant({ externalId: newExternalId() });
    const externalId = newExternalId();
    const row = newRow({
      externalId,
      name: "Ada",
      createdAt: "2020-01-02T03:04:05Z",
      password: { hash: IMPORTED_HASH },
      totp: { secret: TOTP_SECRET },
      identities: [{ provider: "github", subject: crypto.randomUUID() }],
      passkeys: [{ id: crypto.randomUUID(), publicKey: PASSKEY_JWK, rpId: "localhost", counter: 3 }],
      memberships: [{ tenant: `ext:${tenant.externalId}`, role: "admin" }],
      metadata: { plan: "gold" },
    });
    const { done, report } = await importPeople([row]);
    const counts = { rows: 1, done: 1, created: 1, updated: 0, skipped: 0, refused: 0, waiting: 1 };
    expect(done).toMatchObject({ state: "finished", ...counts });
    const user = await userOf(row.email);
    expect(user).toMatchObject({
      externalId,
      name: "Ada",
      emailVerified: true,
      twoFactorEnabled: true,
      createdAt: "2020-01-02T03:04:05.000Z",
      tenants: [{ id: tenant.id, role: "admin" }],
    });
    expect(report).toEqual([
      { line: 1, outcome: "created", userId: user.id, email: row.email, externalId, ignored: ["metadata"] },
    ]);
    expect((await logInAs(row.email)).body.code).toBe("TOTP_REQUIRED");
    expect((await logInAs(row.email, codeOf(TOTP_SECRET))).status).toBe(200);
    expect((await callImports("GET", `/${done.id}`)).body.data.waiting).toBe(0);
    for (const table of ["identities", "passkeys"]) {
      expect(await readOne(`SELECT count(*) AS count FROM ${table} WHERE user_id = ?`, user.id)).toEqual({ count: 1 });
    }
  });

  test("takes Firebase's hashes with the settings of the import", async () => {
    const { hash, settings, password } = FIREBASE;
    const row = newRow({ password: hash });
    const { done } = await importPeople([row], { hashSettings: { firebase: settings } });
    expect(done.created).toBe(1);
    expect((await call("POST", "/auth/login", { body: { email: row.email, password } })).status).toBe(200);
    await maintain(await runDeps(), clearImports);
    expect(await readOne("SELECT id FROM hash_settings WHERE id = ?", done.id)).toBeNull();
  });

  test("is recorded in the logs of the person, the tenant and the platform", async () => {
    const tenant = await newTenant();
    const row = newRow({ memberships: [{ tenant: tenant.id, role: "viewer" }] });
    const { done } = await importPeople([row]);
    const { id } = await userOf(row.email);
    const events = async (tenantId: string) =>
      (
        await env.DB.prepare(
          `SELECT action, meta ->> 'import' AS import FROM audit_events WHERE tenant_id = ?
            AND (target_id IN (?, ?)) ORDER BY id`,
        )
          .bind(tenantId, id, done.id)
          .all()
      ).results;
    const [ofPerson, ofMember] = ["user.created", "member.added"].map((action) => ({ action, import: done.id }));
    expect(await events(id)).toEqual([ofPerson]);
    expect(await events(tenant.id)).toEqual([ofMember]);
    const ofImport = ["started", "finished"].map((what) => ({ action: `import.${what}`, import: null }));
    const inPlatform = [ofImport[0], ofPerson, ofMember, ofImport[1]];
    expect(await events("platform")).toEqual(expect.arrayContaining(inPlatform));
  });

  test("goes on over several parts, and counts lines over all of them", async () => {
    const { id } = (await callImports("POST", "", { name: "Parts" })).body.data;
    const people = Array.from({ length: 130 }, () => newRow());
    expect((await sendPeople("PUT", `/${id}/parts/2`, ndjson(people.slice(70)))).body.data).toMatchObject({ rows: 60 });
    const missing = await callImports("POST", `/${id}/start`, { parts: 3 });
    expect([missing.status, missing.body.details[0].message]).toEqual([400, "These parts are missing: 1, 3"]);
    await sendPeople("PUT", `/${id}/parts/1`, "replaced");
    const first = `\n${ndjson(people.slice(0, 70))}\n\n`;
    await sendPeople("PUT", `/${id}/parts/1`, first);
    expect((await callImports("POST", `/${id}/start`, { parts: 2 })).status).toBe(202);
    expect((await callImports("POST", `/${id}/start`, { parts: 2 })).status).toBe(202);
    expect(await ended(id)).toMatchObject({ name: "Parts", rows: 130, done: 130, created: 130 });
    const report = await reportOf(id);
    expect([report[0]?.line, report[70]?.line, report.length]).toEqual([2, 73, 130]);
    expect((await sendPeople("PUT", `/${id}/parts/1`, first)).status).toBe(200);
    expect((await sendPeople("PUT", `/${id}/parts/1`, "{}")).status).toBe(409);
    const page = (await callImports("GET", `/${id}/report?limit=100&outcome=created`)).body;
    expect([page.data.length, page.nextCursor]).toEqual([100, "102"]);
    expect((await reportOf(id, `limit=100&cursor=${page.nextCursor}`)).map(({ line }) => line)[0]).toBe(103);
    expect(await readOne("SELECT count(*) AS count FROM import_chunks WHERE import_id = ?", id)).toEqual({ count: 0 });
  });

  test("can be sent and started by one call", async () => {
    const people = [newRow(), newRow()];
    const started = await sendPeople("POST", "?dryRun&onExisting=update", ndjson(people));
    expect([started.status, started.body.data.dryRun, started.body.data.onExisting]).toEqual([202, true, "update"]);
    expect(await ended(started.body.data.id)).toMatchObject({ created: 2 });
    expect((await sendPeople("POST", "?onExisting=replace", ndjson(people))).status).toBe(400);
  });

  test("stops, and keeps what is done", async () => {
    const { id } = (await callImports("POST", "", {})).body.data;
    await sendPeople("PUT", `/${id}/parts/1`, ndjson([newRow()]));
    for (let again = 0; again < 2; again++) {
      expect((await callImports("DELETE", `/${id}`)).body.message).toBe("Import stopped.");
    }
    expect((await callImports("POST", `/${id}/start`, { parts: 1 })).status).toBe(409);
    expect((await sendPeople("PUT", `/${id}/parts/2`, "{}")).status).toBe(409);
    const { done } = await importPeople([newRow()]);
    expect((await callImports("DELETE", `/${done.id}`)).body.message).toBe("Import already finished.");
  });

  test("is one of ten that have not ended, however many are created at once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => callImports("POST", "", {})));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), ...Array(10).fill(409)]);
  });

  test("is listed, newest first", async () => {
    const ids = [];
    for (const name of ["a", "b", "c"]) ids.unshift((await callImports("POST", "", { name })).body.data.id);
    const page = (await callImports("GET", "?limit=2")).body;
    expect(page.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    const next = (await callImports("GET", `?limit=2&cursor=${page.nextCursor}`)).body;
    expect(next.data[0].id).toBe(ids[2]);
  });
});

describe("a part", () => {
  const open = async () => (await callImports("POST", "", {})).body.data.id;

  test("has at most 20,000 lines of 64 KiB and 5 MiB, and is NDJSON", async () => {
    const id = await open();
    const put = async (people: string | Uint8Array<ArrayBuffer>) =>
      (await sendPeople("PUT", `/${id}/parts/1`, people)).status;
    expect(await put("{}\n".repeat(20_000))).toBe(200);
    expect(await put("{}\n".repeat(20_001))).toBe(400);
    expect(await put("x".repeat(65_536))).toBe(200);
    expect(await put("x".repeat(65_537))).toBe(400);
    const line = `${"x".repeat(1023)}\n`;
    expect(await put(line.repeat(5 * 1024))).toBe(200);
    expect(await put(`${line.repeat(5 * 1024)}x`)).toBe(413);
    expect(await put(new Uint8Array([0xff]))).toBe(400);
    expect((await callImports("PUT", `/${id}/parts/1`, {})).status).toBe(415);
    for (const n of ["0", "1001", "x"]) expect((await sendPeople("PUT", `/${id}/parts/${n}`, "{}")).status).toBe(400);
  });

  test("lies encrypted", async () => {
    const id = await open();
    const row = newRow();
    await sendPeople("PUT", `/${id}/parts/1`, ndjson([row]));
    const stored = await readOne<{ sealed: string }>("SELECT sealed FROM import_chunks WHERE import_id = ?", id);
    expect(stored?.sealed).not.toContain(row.email);
    expect(stored?.sealed).toMatch(/^[\w-]+\.[\w+/=]+\.[\w+/=]+$/);
  });
});

describe("a dry run", () => {
  test("reports what the import then does, and writes nothing", async () => {
    const existing = newRow({ externalId: newExternalId() });
    await importPeople([existing]);
    const twin = newRow({
      externalId: newExternalId(),
      identities: [{ provider: "google", subject: newExternalId() }],
    });
    const filler = Array.from({ length: 60 }, () => newRow());
    const rows = [twin, ...filler, twin, { ...twin, name: "Ada" }, { ...existing, name: "Bob" }, newRow(), {}];
    const before = await readOne(
      "SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM identities) AS ids",
    );
    const dry = await importPeople(rows, { dryRun: true, onExisting: "update" });
    expect(
      await readOne("SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM identities) AS ids"),
    ).toEqual(before);
    const real = await importPeople(rows, { onExisting: "update" });
    expect(dry.report).toEqual(real.report.map(({ userId: _userId, ...line }) => line));
    expect(dry.done).toMatchObject({ created: 62, updated: 2, skipped: 1, refused: 1 });
    await maintain(await runDeps(), clearImports);
    const trials = "SELECT count(*) AS count FROM import_trials WHERE import_id = ?";
    expect(await readOne(trials, dry.done.id)).toEqual({ count: 0 });
  });
});

describe("a run", () => {
  test("that is killed at any call repeats nothing and loses nothing", async () => {
    const tenant = await newTenant();
    const people = Array.from({ length: 220 }, () => newRow({ memberships: [{ tenant: tenant.id, role: "viewer" }] }));
    const { id } = (await callImports("POST", "", {})).body.data;
    await sendPeople("PUT", `/${id}/parts/1`, ndjson(people));
    await env.DB.prepare("UPDATE imports SET state = 'running', started_at = 0, rows = 220 WHERE id = ?")
      .bind(id)
      .run();
    const kills = await killUntilEnded(id);
    expect(kills).toBeGreaterThan(10);
    expect((await callImports("GET", `/${id}`)).body.data).toMatchObject({ created: 220, done: 220, refused: 0 });
    expect((await reportOf(id)).map(({ line }) => line)).toEqual(people.map((_, index) => index + 1));
    const counts = `SELECT (SELECT count(*) FROM memberships WHERE tenant_id = ?1) AS members,
      (SELECT count(*) FROM audit_events WHERE tenant_id = 'platform' AND action = 'user.created'
        AND meta ->> 'import' = ?2) AS created,
      (SELECT count(*) FROM audit_events WHERE tenant_id = 'platform' AND target_id = ?2) AS ended`;
    expect(await readOne(counts, tenant.id, id)).toEqual({ members: 220, created: 220, ended: 1 });
  });

  test("and ten others at once write each row once", async () => {
    const people = Array.from({ length: 120 }, () => newRow());
    const started = await sendPeople("POST", "", ndjson(people));
    await Promise.all(Array.from({ length: 10 }, runImports));
    expect(await ended(started.body.data.id)).toMatchObject({ created: 120, done: 120 });
  });

  test("meets somebody who registers at the same time", async () => {
    const people = Array.from({ length: 60 }, () => newRow());
    const started = await sendPeople("POST", "", ndjson(people));
    await Promise.all(
      people
        .filter((_, index) => index % 6 === 0)
        .map(({ email }) => call("POST", "/auth/register", { body: { email, password: PASSWORD } })),
    );
    const done = await ended(started.body.data.id);
    expect([done.created + done.skipped, done.refused]).toEqual([60, 0]);
  });

  test("ends after seven days, and the report after ninety", async () => {
    const { id } = (await callImports("POST", "", {})).body.data;
    await sendPeople("PUT", `/${id}/parts/1`, ndjson([newRow()]));
    const inDays = async (days: number) => {
      const deps = await runDeps();
      await maintain({ ...deps, now: () => Date.now() + days * 86_400_000 }, clearImports);
    };
    await inDays(6);
    expect((await callImports("GET", `/${id}`)).body.data.state).toBe("open");
    await inDays(8);
    expect((await callImports("GET", `/${id}`)).body.data.state).toBe("stopped");
    expect(await readOne("SELECT count(*) AS count FROM import_chunks WHERE import_id = ?", id)).toEqual({ count: 0 });
    await inDays(91);
    expect((await callImports("GET", `/${id}`)).status).toBe(404);
  });
});

test("no other scope imports people, and an unknown import is not found", async () => {
  const { key } = await newPlatformKey(["users.read"]);
  expect((await call("POST", "/platform/imports", { token: key, body: {} })).status).toBe(403);
  const missing = crypto.randomUUID();
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["GET", "/report", undefined],
    ["DELETE", "", undefined],
    ["POST", "/start", { parts: 1 }],
  ] as const) {
    expect((await callImports(method, `/${missing}${path}`, body)).status).toBe(404);
  }
  expect((await sendPeople("PUT", `/${missing}/parts/1`, "{}")).status).toBe(404);
  const { token } = await logIn(await signUp());
  expect((await call("GET", "/platform/imports", { token })).status).toBe(404);
});
