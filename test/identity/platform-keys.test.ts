/** Platform keys: who makes them, what they look like, rotation and revocation. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { isKey, makeKey } from "../../src/identity/api-keys/key";
import { type Answer, call, eventually, newAddress, signUpVerified } from "../support/client";
import { mailsTo } from "../support/mailbox";
import { named, operator } from "../support/operators";
import { callUnder } from "../support/overrides";
import { tire } from "../support/people";
import { callAs, newPlatformKey } from "../support/platform-keys";

const NEW = { name: "shop", scopes: ["tenants.*", "events.publish"] };
const make = (token: string, fields: object = {}) =>
  call("POST", "/platform/keys", { token, body: { ...NEW, ...fields } });
/** Whether a key opens anything: with the scope `events.publish` alone, a bad body is what is refused. */
const opens = async (key: string, tenant: string) => (await callAs(key, tenant, "POST", "/events", {})).status === 400;
const logOfPlatform = async (token: string) =>
  (await call("GET", "/audit?action=platform_key.*&limit=5", { token, headers: { "postern-tenant": "platform" } })).body
    .data;

describe("making one", () => {
  test("returns the key once, with its scopes spelled out, and mails its maker", async () => {
    const op = await operator();
    const name = `shop ${crypto.randomUUID()}`;
    const { status, body } = await make(op.token, { name });
    expect(status).toBe(201);
    const { key, ...shown } = body.data;
    expect(shown).toEqual({
      id: expect.any(String),
      name,
      prefix: `${key.slice(0, 8)}…`,
      scopes: ["tenants.read", "tenants.write", "events.publish"],
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: null,
    });
    expect(key).toMatch(/^psk_[0-9A-Za-z]{40}$/);
    expect(isKey(key)).toBe(true);
    const { data } = (await call("GET", "/platform/keys", { token: op.token })).body;
    expect(data[0]).toEqual(shown);
    const mails = () => mailsTo(op.email).filter(({ text }) => text.includes(`"${name}"`));
    await eventually("the mail to its maker", async () => mails().length > 0);
    expect(mails()).toHaveLength(1);
    const [event] = await logOfPlatform(op.token);
    expect(event).toMatchObject({
      action: "platform_key.created",
      actor: { kind: "operator", name: op.email },
      target: { kind: "platform-key", id: shown.id },
      meta: { scopes: shown.scopes },
    });
  });

  test("may limit it to tenants, by id or by the product's own id", async () => {
    const [op, person] = [await operator(), await signUpVerified()];
    const { status, body } = await make(op.token, { tenants: [person.tenantId, person.tenantId] });
    expect([status, body.data.tenants]).toEqual([201, [person.tenantId]]);
    const missing = await make(op.token, { tenants: ["ext:nobody"] });
    expect([missing.status, missing.body.message]).toEqual([404, "Tenant not found"]);
  });

  test.each([
    [{ scopes: [] }, "scopes"],
    [{ scopes: ["everything"] }, "scopes.0"],
    [{ scopes: ["*"] }, "scopes.0"],
    [{ name: "" }, "name"],
    [{ tenants: [] }, "tenants"],
    [{ expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
    [{ scopes: ["users.read"], tenants: ["x"] }, "scopes"],
    [{ scopes: ["members.*"], tenants: ["x"] }, "scopes"],
  ])("refuses %j", async (fields, path) => {
    const { token } = await operator();
    const { status, body } = await make(token, fields);
    expect([status, body.code, body.details[0].path]).toEqual([400, "VALIDATION_FAILED", path]);
  });

  test("needs a step-up, as do its replacement and its end", async () => {
    const { id } = await newPlatformKey();
    const op = await operator();
    await tire(op);
    for (const [method, path] of [
      ["POST", "/platform/keys"],
      ["POST", `/platform/keys/${id}/rotate`],
      ["DELETE", `/platform/keys/${id}/previous`],
      ["DELETE", `/platform/keys/${id}`],
    ] as const) {
      const refused = await call(method, path, { token: op.token, body: NEW });
      expect([method, path, refused.status, refused.body.code]).toEqual([method, path, 403, "STEP_UP_REQUIRED"]);
    }
    expect((await call("GET", "/platform/keys", { token: op.token })).status).toBe(200);
  });

  test("is for operators with a second factor alone", async () => {
    const anybody = await signUpVerified();
    const { key } = await newPlatformKey();
    const unproven = await named("operator@example.com");
    for (const [method, path] of [
      ["POST", "/platform/keys"],
      ["GET", "/platform/keys"],
      ["POST", `/platform/keys/${anybody.userId}/rotate`],
      ["DELETE", `/platform/keys/${anybody.userId}/previous`],
      ["DELETE", `/platform/keys/${anybody.userId}`],
    ] as const) {
      const statusOf = async (token: string) =>
        (await call(method, path, { token, ...(method === "GET" ? {} : { body: NEW }) })).status;
      expect([path, await statusOf(anybody.token), await statusOf(unproven.token), await statusOf(key)]).toEqual([
        path,
        404,
        403,
        403,
      ]);
    }
  });

  test("stops at the cap, also in parallel", async () => {
    const { token } = await operator();
    const count = await env.DB.prepare(
      "SELECT count(*) AS n FROM platform_keys WHERE revoked_at IS NULL",
    ).first<number>("n");
    const vars = { MAX_PLATFORM_KEYS: String((count ?? 0) + 1) };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => callUnder(vars, { path: "/api/v1/platform/keys", token, body: NEW })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)]);
  });
});

describe("a key", () => {
  test("is stored as a hash alone", async () => {
    const { key } = await newPlatformKey();
    for (const table of ["platform_keys", "platform_key_hashes", "audit_events"]) {
      const { results } = await env.DB.prepare(`SELECT * FROM ${table}`).all();
      expect(JSON.stringify(results)).not.toContain(key);
    }
  });

  test("outlives its maker's role, and ends when it expires", async () => {
    const person = await signUpVerified();
    const { id, key } = await newPlatformKey(["events.publish"]);
    await named("operator@example.com");
    expect(await opens(key, person.tenantId)).toBe(true);
    await env.DB.prepare("UPDATE platform_keys SET expires_at = 1 WHERE id = ?").bind(id).run();
    expect(await opens(key, person.tenantId)).toBe(false);
  });

  test("works in X-API-Key too, and its use is recorded to the minute", async () => {
    const [op, person] = [await operator(), await signUpVerified()];
    const { key } = (await make(op.token)).body.data;
    const headers = { "x-api-key": key, "postern-tenant": person.tenantId };
    expect((await call("POST", "/events", { body: {}, headers })).status).toBe(400);
    const newest = async () => (await call("GET", "/platform/keys", { token: op.token })).body.data[0];
    await eventually("the use is recorded", async () => (await newest()).lastUsedAt);
  });

  test("that is mistyped costs no trip to D1, and unknown ones are limited by address", async () => {
    const headers = { "cf-connecting-ip": newAddress() };
    const send = () => call("GET", "/webhooks", { token: makeKey("psk_"), headers });
    const answers: Answer[] = [];
    for (let tries = 0; tries < 61; tries += 1) answers.push(await send());
    expect(answers.map(({ status }) => status)).toEqual([...Array(60).fill(401), 429]);
  });
});

describe("rotation", () => {
  test("gives a new key, and the former one works for a day", async () => {
    const [op, person] = [await operator(), await signUpVerified()];
    const { token } = op;
    const made = (await make(token)).body.data;
    const { status, body } = await call("POST", `/platform/keys/${made.id}/rotate`, { token, body: {} });
    expect(status).toBe(200);
    const { key, previousExpiresAt, prefix } = body.data;
    expect([key === made.key, prefix]).toEqual([false, `${key.slice(0, 8)}…`]);
    expect(Date.parse(previousExpiresAt) - Date.now()).toBeGreaterThan(86_000_000);
    expect([await opens(made.key, person.tenantId), await opens(key, person.tenantId)]).toEqual([true, true]);
    const again = await call("POST", `/platform/keys/${made.id}/rotate`, { token, body: {} });
    expect([again.status, again.body.code]).toEqual([409, "CONFLICT"]);
    const ended = await call("DELETE", `/platform/keys/${made.id}/previous`, { token, body: {} });
    expect([ended.status, ended.body]).toEqual([200, { message: "Former key ended." }]);
    expect([await opens(made.key, person.tenantId), await opens(key, person.tenantId)]).toEqual([false, true]);
    const { data } = (await call("GET", "/platform/keys", { token })).body;
    expect(data[0]).not.toHaveProperty("previousExpiresAt");
  });

  test("without an overlap ends the former key at once, and can be repeated", async () => {
    const [op, person] = [await operator(), await signUpVerified()];
    const { token } = op;
    const made = (await make(token)).body.data;
    const rotate = () => call("POST", `/platform/keys/${made.id}/rotate`, { token, body: { overlapSeconds: 0 } });
    const { body } = await rotate();
    expect(body.data).not.toHaveProperty("previousExpiresAt");
    expect(await opens(made.key, person.tenantId)).toBe(false);
    expect((await rotate()).status).toBe(200);
    expect(await opens(body.data.key, person.tenantId)).toBe(false);
  });

  test("in parallel succeeds once", async () => {
    const { token } = await operator();
    const { id } = (await make(token)).body.data;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call("POST", `/platform/keys/${id}/rotate`, { token, body: {} })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    const hashes = await env.DB.prepare("SELECT count(*) AS n FROM platform_key_hashes WHERE key_id = ?")
      .bind(id)
      .first<number>("n");
    expect(hashes).toBe(2);
  });
});

describe("revoking", () => {
  test("ends a key and its former one at once", async () => {
    const [op, person] = [await operator(), await signUpVerified()];
    const { token } = op;
    const made = (await make(token)).body.data;
    const { key } = (await call("POST", `/platform/keys/${made.id}/rotate`, { token, body: {} })).body.data;
    const revoked = await call("DELETE", `/platform/keys/${made.id}`, { token, body: {} });
    expect([revoked.status, revoked.body]).toEqual([200, { message: "Platform key revoked." }]);
    expect([await opens(made.key, person.tenantId), await opens(key, person.tenantId)]).toEqual([false, false]);
    expect((await call("DELETE", `/platform/keys/${made.id}`, { token, body: {} })).status).toBe(404);
    const actions = (await logOfPlatform(token)).map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 3)).toEqual(["platform_key.revoked", "platform_key.rotated", "platform_key.created"]);
  });
});
