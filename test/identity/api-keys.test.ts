/** API keys: form, scopes, life and death. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { isKey, makeKey } from "../../src/identity/api-keys/key";
import { call, eventually, type Person, setRole, signUp, signUpVerified, verify } from "../support/client";
import { captureLog } from "../support/log-lines";
import { mailTo, tokenIn } from "../support/mailbox";
import { callUnder } from "../support/overrides";
import { joinTenant } from "../support/people";

const log = captureLog();

afterEach(() => {
  vi.useRealTimers();
});

const create = (person: Person, fields: Record<string, unknown> = {}) =>
  call("POST", "/api-keys", { token: person.token, body: { name: "ci", scopes: ["webhook.read"], ...fields } });

const list = (person: Person) => call("GET", "/api-keys", { token: person.token });
const revoke = (person: Person, id: string) => call("DELETE", `/api-keys/${id}`, { token: person.token });

describe("API keys", () => {
  test("a key is shown once, listed by its prefix, stored as a hash and announced by mail", async () => {
    const person = await signUp();
    await verify(person.email);
    const { status, body } = await create(person, { scopes: ["webhook.read", "webhook.read", "event.publish"] });
    expect(status).toBe(201);
    const { key, ...shown } = body.data;
    expect(key).toMatch(/^ak_[0-9A-Za-z]{40}$/);
    expect(shown).toEqual({
      id: expect.any(String),
      name: "ci",
      prefix: `${key.slice(0, 8)}…`,
      scopes: ["webhook.read", "event.publish"],
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: null,
      expiresAt: null,
    });
    expect((await list(person)).body.data).toEqual([shown]);
    const row = await env.DB.prepare("SELECT * FROM api_keys WHERE id = ?").bind(shown.id).first();
    expect(JSON.stringify(row)).not.toContain(key);
    expect((await mailTo(person.email, /API key/)).text).not.toContain(key);
  });

  test("a key works in both headers, within its scopes, and is accepted nowhere else", async () => {
    const person = await signUp();
    const { key } = (await create(person)).body.data;
    expect((await call("GET", "/webhooks", { token: key })).status).toBe(200);
    expect((await call("GET", "/webhooks", { headers: { "x-api-key": key } })).status).toBe(200);
    // Generated clients put one credential into both.
    const both = (token: string) => call("GET", "/webhooks", { token, headers: { "x-api-key": token } });
    expect([(await both(person.token)).status, (await both(key)).status, (await both("no")).status]).toEqual([
      200, 200, 401,
    ]);
    const alone = await call("GET", "/webhooks", { headers: { "x-api-key": person.token } });
    const wrong = await call("GET", "/webhooks", { token: person.token, headers: { "x-api-key": "ak_wrong" } });
    expect([alone.status, wrong.status]).toEqual([401, 401]);
    const beyond = await call("POST", "/webhooks", { token: key, body: {} });
    expect([beyond.status, beyond.body.code]).toEqual([403, "FORBIDDEN"]);
    for (const [method, path] of [
      ["GET", "/auth/me"],
      ["GET", "/auth/sessions"],
      ["POST", "/auth/2fa/enable"],
      ["GET", "/api-keys"],
      ["GET", "/members"],
      ["GET", "/invitations"],
      ["POST", "/invitations/accept"],
    ] as const) {
      expect((await call(method, path, { token: key })).status).toBe(401);
    }
  });

  test("a mistyped key and an unknown key answer 401", async () => {
    const person = await signUp();
    const { key } = (await create(person)).body.data;
    const mistyped = key.slice(0, 10) + (key[10] === "a" ? "b" : "a") + key.slice(11);
    expect([isKey(key), isKey(mistyped), isKey(makeKey("ak_"))]).toEqual([true, false, true]);
    for (const bad of [mistyped, makeKey("ak_"), "ak_", `${key}x`]) {
      expect((await call("GET", "/webhooks", { token: bad })).status).toBe(401);
    }
  });

  test("a key ends with its revocation, its expiry, or its owner's role or membership", async () => {
    const person = await signUp();
    const { id, key } = (await create(person)).body.data;
    const stranger = await signUp();
    expect((await revoke(stranger, id)).body.message).toBe("API key not found");
    const revoked = await revoke(person, id);
    expect([revoked.status, revoked.body]).toEqual([200, { message: "API key revoked" }]);
    expect((await call("GET", "/webhooks", { token: key })).status).toBe(401);
    expect((await revoke(person, id)).status).toBe(404);
    expect((await list(person)).body.data).toEqual([]);

    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const short = (await create(person, { expiresAt })).body.data;
    expect(short.expiresAt).toBe(expiresAt);
    expect((await call("GET", "/webhooks", { token: short.key })).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    expect((await call("GET", "/webhooks", { token: short.key })).status).toBe(401);
    expect((await list(person)).body.data).toEqual([]);
    vi.useRealTimers();

    const wide = (await create(person)).body.data;
    await setRole(person, "member");
    expect((await call("GET", "/webhooks", { token: wide.key })).status).toBe(403);
  });

  test("the last use is recorded after the response", async () => {
    const person = await signUp();
    const { key } = (await create(person)).body.data;
    await call("GET", "/webhooks", { token: key });
    await eventually("last use", async () => (await list(person)).body.data[0].lastUsedAt);
  });

  test("a key gets the scopes that its maker has, so that none begins to work with a later role", async () => {
    const owner = await signUpVerified();
    const viewer = await joinTenant(owner, "viewer");
    const made = await create(viewer, { scopes: ["webhook.read", "event.publish", "member.manage"] });
    expect([made.status, made.body.data.scopes]).toEqual([201, ["webhook.read"]]);
    const refused = await create(viewer, { scopes: ["event.publish", "audit.read"] });
    expect([refused.status, refused.body.message]).toEqual([403, "Your role has none of these scopes."]);
    await call("PATCH", `/members/${viewer.userId}`, { token: owner.token, body: { role: "admin" } });
    const event = { type: "OrderPaid", payload: {} };
    expect((await call("POST", "/events", { token: made.body.data.key, body: event })).status).toBe(403);
  });

  test("name, scopes and expiry are validated", async () => {
    const person = await signUp();
    for (const fields of [
      { name: "" },
      { scopes: [] },
      { scopes: ["everything"] },
      { expiresAt: "tomorrow" },
      { expiresAt: "2020-01-01T00:00:00Z" },
    ]) {
      expect((await create(person, fields)).body.code).toBe("VALIDATION_FAILED");
    }
  });

  test("an owner may revoke a member's key, but a member may not revoke an owner's", async () => {
    const owner = await signUp();
    const developer = await joinTenant(owner, "developer");
    const ofOwner = (await create(owner)).body.data;
    const ofDeveloper = (await create(developer)).body.data;
    expect((await revoke(developer, ofOwner.id)).status).toBe(404);
    expect((await revoke(owner, ofDeveloper.id)).status).toBe(200);
  });
});

describe("a key that belongs to the tenant", () => {
  const make = (token: string, fields: object = {}) =>
    call("POST", "/api-keys", {
      token,
      body: { name: "shop", scopes: ["webhook.read"], owner: "tenant", ...fields },
    });
  const opens = async (key: string) => (await call("GET", "/webhooks", { token: key })).status === 200;

  test("is made, seen and revoked by owners and admins alone", async () => {
    const owner = await signUpVerified();
    const [admin, developer] = [await joinTenant(owner, "admin"), await joinTenant(owner, "developer")];
    const refused = await make(developer.token);
    expect([refused.status, refused.body.code]).toEqual([403, "FORBIDDEN"]);
    const { data } = (await make(owner.token)).body;
    expect(data.owner).toBe("tenant");
    const own = await make(owner.token, { owner: "user" });
    expect(own.body.data).not.toHaveProperty("owner");
    const seenBy = async (token: string) =>
      (await call("GET", "/api-keys", { token })).body.data.map(({ id }: { id: string }) => id);
    expect(await seenBy(owner.token)).toEqual([own.body.data.id, data.id]);
    expect(await seenBy(admin.token)).toEqual([data.id]);
    expect(await seenBy(developer.token)).toEqual([]);
    expect((await call("DELETE", `/api-keys/${data.id}`, { token: developer.token })).status).toBe(404);
    expect((await call("DELETE", `/api-keys/${data.id}`, { token: admin.token })).status).toBe(200);
    expect(await opens(data.key)).toBe(false);
  });

  test("works on when its maker leaves, and ends with the tenant", async () => {
    const owner = await signUpVerified();
    const admin = await joinTenant(owner, "admin");
    const ofTenant = (await make(admin.token)).body.data.key;
    const ofAdmin = (await make(admin.token, { owner: "user" })).body.data.key;
    expect((await call("DELETE", "/members/me", { token: admin.token })).status).toBe(200);
    expect([await opens(ofTenant), await opens(ofAdmin)]).toEqual([true, false]);
    expect((await call("DELETE", "/tenant", { token: owner.token, body: {} })).status).toBe(200);
    expect(await opens(ofTenant)).toBe(false);
  });

  test("ends by the link of the mail about it", async () => {
    const owner = await signUpVerified();
    const { key } = (await make(owner.token)).body.data;
    const body = { token: tokenIn(await mailTo(owner.email, /API key/)) };
    expect((await call("POST", "/auth/not-me", { body })).status).toBe(200);
    expect(await opens(key)).toBe(false);
  });

  test("is one of at most MAX_API_KEYS_PER_TENANT", async () => {
    const { token } = await signUpVerified();
    const body = { name: "k", scopes: ["webhook.read"], owner: "tenant" };
    const vars = {
      MAX_API_KEYS_PER_TENANT: "1",
      RATE_LIMITS: JSON.stringify({ createApiKey: { limit: 100, windowSeconds: 60 } }),
    };
    const issue = () => callUnder(vars, { path: "/api/v1/api-keys", token, body });
    const answers = await Promise.all(Array.from({ length: 50 }, issue));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)]);
  });
});

test("the log line of a request with a key that has ended names the tenant and the key's first characters", async () => {
  const { token, tenantId } = await signUpVerified();
  const { data } = (await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["webhook.read"] } })).body;
  await call("DELETE", `/api-keys/${data.id}`, { token });
  const requestId = crypto.randomUUID();
  const headers = { "x-request-id": requestId };
  expect((await call("GET", "/webhooks", { token: data.key, headers })).status).toBe(401);
  const line = log.lines("request").find((one) => one.clientRequestId === requestId);
  expect(line).toMatchObject({ tenantId, keyPrefix: data.prefix, status: 401 });
});
