/** API keys: form, scopes, life and death. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { isKey, makeKey } from "../../src/identity/api-keys/key";
import { call, eventually, type Person, setRole, signUp, verify } from "../support/client";
import { mailTo } from "../support/mailbox";
import { joinTenant } from "../support/people";

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
