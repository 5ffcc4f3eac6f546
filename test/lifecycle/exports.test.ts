/** Exports of accounts and tenants: what they contain, what they must not, and who may make them. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { encrypt } from "../../src/base/crypto/encryption";
import { createDeps } from "../../src/base/deps";
import { secretOwner } from "../../src/webhooks/signing/keys";
import { call, newEmail, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { mailTo } from "../support/mailbox";
import { joinTenant } from "../support/people";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

afterEach(() => {
  vi.useRealTimers();
});

const exportAccount = ({ token }: Pick<Person, "token">) => call("GET", "/auth/me/export", { token });
const exportTenant = ({ token }: Pick<Person, "token">) => call("GET", "/tenant/export", { token });

describe("GET /auth/me/export", () => {
  test("has the user's profile, memberships, sessions, API keys without the key, and activity", async () => {
    const person = await signUp();
    const key = { name: "key", scopes: ["webhook.read"] };
    const made = (await call("POST", "/api-keys", { token: person.token, body: key })).body.data;
    await env.DB.prepare("UPDATE users SET external_id = ? WHERE id = ?")
      .bind(`x-${person.userId}`, person.userId)
      .run();
    const { status, headers, body } = await exportAccount(person);
    expect([status, headers.get("content-disposition")]).toEqual([200, 'attachment; filename="account.json"']);
    expect(body.data).toMatchObject({
      profile: { id: person.userId, externalId: `x-${person.userId}`, email: person.email, emailVerified: false },
      memberships: [{ tenantId: person.tenantId, role: "owner" }],
      sessions: [{ current: true }],
      apiKeys: [{ id: made.id, prefix: made.prefix, revokedAt: null }],
    });
    expect(body.data.activity.map(({ action }: { action: string }) => action)).toContain("api_key.created");
    const text = JSON.stringify(body);
    for (const secret of [made.key, person.refreshToken, "argon2", "Hash"]) expect(text).not.toContain(secret);
  });

  test("works once an hour for each user, and is recorded", async () => {
    const [person, other] = [await signUp(), await signUp()];
    const answers = await Promise.all(Array.from({ length: 5 }, () => exportAccount(person)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429, 429, 429]);
    expect((await exportAccount(other)).status).toBe(200);
    const { body } = await call("GET", "/auth/me/activity", { token: person.token });
    expect(body.data.filter(({ action }: { action: string }) => action === "auth.exported")).toHaveLength(1);
  });

  test("needs a recent sign-in or a step-up, which does not count, and is announced by mail", async () => {
    const person = await signUpVerified();
    await env.DB.prepare("UPDATE sessions SET created_at = created_at - ? WHERE user_id = ?")
      .bind(11 * 60_000, person.userId)
      .run();
    expect((await exportAccount(person)).body.code).toBe("STEP_UP_REQUIRED");
    expect((await exportAccount(person)).body.code).toBe("STEP_UP_REQUIRED");
    await call("POST", "/auth/step-up", { token: person.token, body: { password: PASSWORD } });
    expect((await exportAccount(person)).status).toBe(200);
    expect((await mailTo(person.email, /Your data was exported/)).text).toContain("IP addresses");
  });

  test("has nothing of other users", async () => {
    const owner = await signUp();
    const guest = await joinTenant(owner, "admin");
    expect(JSON.stringify((await exportAccount(guest)).body)).not.toContain(owner.email);
  });
});

describe("GET /tenant/export", () => {
  test("has members, invitations, API keys, subscriptions, events and attempts, without secrets and payloads", async () => {
    const owner = await signUpVerified();
    const { token } = owner;
    const guest = await joinTenant(owner, "viewer");
    const invited = newEmail();
    await call("POST", "/invitations", { token, body: { email: invited, role: "viewer" } });
    const key = await call("POST", "/api-keys", { token, body: { name: "key", scopes: ["webhook.read"] } });
    const webhookId = await subscribe(owner, newInbox("500").url, {
      delivery: { headers: { Authorization: "Bearer a-header-value" } },
    });
    const externalId = `x-${owner.tenantId}`;
    await env.DB.prepare("UPDATE tenants SET external_id = ? WHERE id = ?").bind(externalId, owner.tenantId).run();
    const event = await publish(owner, "a payload", { correlationId: "c-1" });
    await endedAttempts(owner, webhookId, 1);
    const { status, body } = await exportTenant(owner);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      tenant: { id: owner.tenantId, externalId, name: "Personal" },
      members: [{ userId: owner.userId }, { userId: guest.userId, role: "viewer" }],
      invitations: [{ email: invited }],
      apiKeys: [{ id: key.body.data.id, userId: owner.userId }],
      subscriptions: [{ _id: webhookId, name: "test" }],
      events: [{ id: event.id, type: "OrderPaid", correlationId: "c-1", deliveries: 1 }],
      isComplete: true,
    });
    expect(body.data.attempts[0]).toMatchObject({ webhookId, eventId: event.id, responseCode: 500, status: "failed" });
    const text = JSON.stringify(body);
    for (const secret of ["a-signing-secret", "a-header-value", "a payload", key.body.data.key]) {
      expect(text).not.toContain(secret);
    }
  });

  test("has all event types with their newest schemas, archived ones too", async () => {
    const { token } = await signUpVerified();
    const names = Array.from({ length: 18 }, (_, at) => `order.${String.fromCharCode(97 + at)}`);
    for (const name of names) {
      const body = { name, schema: { const: name }, examples: [name] };
      await call("POST", "/event-types", { token, body });
    }
    await call("PATCH", "/event-types/order.c", { token, body: { archived: true } });
    await call("POST", "/event-types/order.d/versions", { token, body: { schema: true } });
    const { eventTypes, isComplete } = (await call("GET", "/tenant/export", { token })).body.data;
    expect([eventTypes.map(({ name }: { name: string }) => name), isComplete]).toEqual([names, true]);
    expect(eventTypes[2]).toMatchObject({ archived: true, schema: { const: "order.c" }, examples: ["order.c"] });
    expect(eventTypes[3]).toMatchObject({ latestVersion: 2, schema: true });
  });

  test("has all of many attempts and events, each once", async () => {
    const owner = await signUpVerified();
    const webhookId = await subscribe(owner, newInbox("200").url);
    const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)";
    const idOf = (group: string) => `'0190a0a0-${group}-7000-8000-' || printf('%012x', i)`;
    await deliveryDb
      .prepare(`${numbers} INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, attempt_count,
        attempted_at)
        SELECT ?, ${idOf("0001")}, ${idOf("0002")}, 'T', 'event', 'success', 1, 1 FROM n`)
      .bind(webhookId)
      .run();
    await deliveryDb
      .prepare(`${numbers} INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
        SELECT ${idOf("0002")}, ?, 'T', '1', 0, 1 FROM n`)
      .bind(owner.tenantId)
      .run();
    const { body } = await exportTenant(owner);
    const idsIn = (list: { id: string }[]) => new Set(list.map(({ id }) => id)).size;
    expect([body.data.attempts.length, idsIn(body.data.attempts)]).toEqual([2_500, 2_500]);
    expect([body.data.events.length, idsIn(body.data.events)]).toEqual([2_500, 2_500]);
  });

  test("says that it is not complete rather than read more pages than D1 allows", async () => {
    const owner = await signUpVerified();
    const { keys } = await createDeps(env, createExecutionContext());
    const sealed = await Promise.all(
      Array.from({ length: 601 }, async () => {
        const id = crypto.randomUUID();
        return { id, secret: await encrypt(keys, secretOwner(id), "a-signing-secret") };
      }),
    );
    await deliveryDb
      .prepare(`INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled,
        created_at, updated_at)
        SELECT value ->> 'id', ?, 'many', 'http://receiver.example/200/many', '["Other"]', value ->> 'secret', 'x', 1,
          0, 0 FROM json_each(?)`)
      .bind(owner.tenantId, JSON.stringify(sealed))
      .run();
    const { body } = await exportTenant(owner);
    expect([body.data.subscriptions.length, body.data.isComplete]).toEqual([601, false]);
  });

  test("is for owners who have signed in or confirmed within ten minutes, and has nothing of other tenants", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const [owner, other] = [await signUp(), await signUp()];
    const admin = await joinTenant(owner, "admin");
    expect((await exportTenant(admin)).body.code).toBe("FORBIDDEN");
    await subscribe(other, newInbox("200").url);
    expect(JSON.stringify((await exportTenant(owner)).body)).not.toContain(other.tenantId);
    vi.setSystemTime(Date.now() + 11 * 60_000);
    expect((await exportTenant(owner)).body.code).toBe("STEP_UP_REQUIRED");
    await call("POST", "/auth/step-up", { token: owner.token, body: { password: PASSWORD } });
    expect((await exportTenant(owner)).status).toBe(200);
  });
});
