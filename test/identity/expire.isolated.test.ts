/** The hourly cron removes what has ended a while ago, and accounts that were never verified. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import { deleteExpired } from "../../src/identity/expire";
import { removeAbandoned } from "../../src/lifecycle/deletion/abandoned";
import { call, eventually, newEmail, PASSWORD, signUp, signUpVerified, verify } from "../support/client";
import { mailsTo, mailTo } from "../support/mailbox";
import { invite, joinTenant } from "../support/people";
import { occurrencesOf, purgeAll } from "../support/purges";
import { newInbox, subscribe } from "../support/receiver";
import { codeOf, enrol } from "../support/two-factor";

const DAY_MS = 24 * 3_600_000;

afterEach(() => void vi.useRealTimers());

async function sweepAfter(
  days: number,
  settings: { emailVerification?: "optional"; auditRetentionDays?: number } = {},
): Promise<void> {
  const deps = await createDeps(env, { waitUntil: () => {} });
  const config = { ...deps.config, ...settings };
  const later = { ...deps, config, now: () => Date.now() + days * DAY_MS };
  for (const work of [deleteExpired, removeAbandoned]) await work(later, 0, "", () => false);
}

const countOf = async (table: string, column: string, value: string) => {
  const row = await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`)
    .bind(value)
    .first<{ n: number }>();
  return row?.n;
};

describe("ended rows", () => {
  test("go 30 days after their end, live ones stay", async () => {
    const person = await signUp();
    await mailTo(person.email, /verify/i);
    await verify(person.email);
    await invite(person, newEmail(), "viewer");
    const counts = async () => [
      await countOf("sessions", "user_id", person.userId),
      await countOf("email_tokens", "subject_id", person.userId),
      await countOf("invitations", "tenant_id", person.tenantId),
    ];
    await sweepAfter(0);
    expect(await counts()).toEqual([1, 1, 1]);
    await sweepAfter(45);
    expect(await counts()).toEqual([1, 0, 0]);
    await sweepAfter(61);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  test("portal links and tokens go 7 days after their end", async () => {
    const person = await signUp();
    const body = { permissions: ["webhook.read"] };
    for (const path of ["/portal-links", "/portal-tokens"]) await call("POST", path, { token: person.token, body });
    const count = () => countOf("portal_links", "tenant_id", person.tenantId);
    await sweepAfter(6.9);
    expect(await count()).toBe(2);
    await sweepAfter(7.1);
    expect(await count()).toBe(0);
  });

  test('what a "this was not me" link would restore goes once the link has expired', async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    await call("POST", "/auth/2fa/disable", { token: person.token, body: { token: codeOf(secret, 1) } });
    const states = async () => {
      const { results } = await env.DB.prepare(
        "SELECT action FROM email_tokens WHERE subject_id = ? AND purpose = 'undo'",
      )
        .bind(person.userId)
        .all<{ action: string | null }>();
      return results.map(({ action }) => action !== null);
    };
    await sweepAfter(2.9);
    expect(await states()).toEqual([true, true]);
    await sweepAfter(4);
    expect(await states()).toEqual([false, false]);
  });

  test("tries of mailed codes go 30 days after them", async () => {
    const { email } = await signUpVerified();
    const { state } = (await call("POST", "/auth/code", { body: { email } })).body.data;
    await call("POST", "/auth/code/verify", { body: { state, code: "wrong" } });
    const left = async () => (await env.DB.prepare("SELECT count(*) AS n FROM mail_codes").first<{ n: number }>())?.n;
    await sweepAfter(29);
    expect(await left()).toBe(1);
    await sweepAfter(31);
    expect(await left()).toBe(0);
  });

  test("devices go 90 days after they were last seen", async () => {
    const person = await signUp();
    await sweepAfter(89);
    expect(await countOf("known_devices", "user_id", person.userId)).toBe(1);
    await sweepAfter(91);
    expect(await countOf("known_devices", "user_id", person.userId)).toBe(0);
  });

  test("what somebody has allowed an app goes 400 days after its last use, or its last change if no use was noted", async () => {
    const { userId, tenantId } = await signUp();
    await env.DB.prepare(
      `INSERT INTO oauth_consents (user_id, client_id, tenant_id, scopes, created_at, updated_at, used_at)
        VALUES (?1, 'a', ?2, '[]', 1, 1, ?3), (?1, 'b', ?2, '[]', 1, ?3, NULL), (?1, 'c', ?2, '[]', 1, 1, NULL)`,
    )
      .bind(userId, tenantId, Date.now())
      .run();
    await sweepAfter(399);
    expect(await countOf("oauth_consents", "user_id", userId)).toBe(2);
    await sweepAfter(401);
    expect(await countOf("oauth_consents", "user_id", userId)).toBe(0);
  });

  test("revoked and expired API keys go once the audit log has nothing of them, others stay", async () => {
    const person = await signUpVerified();
    const create = async (fields: object = {}) =>
      (
        await call("POST", "/api-keys", {
          token: person.token,
          body: { name: "k", scopes: ["webhook.read"], ...fields },
        })
      ).body.data.id as string;
    const [revoked, expiring, living] = [
      await create(),
      await create({ expiresAt: new Date(Date.now() + DAY_MS).toISOString() }),
      await create(),
    ];
    await call("DELETE", `/api-keys/${revoked}`, { token: person.token });
    const left = async () => [
      await countOf("api_keys", "id", revoked),
      await countOf("api_keys", "id", expiring),
      await countOf("api_keys", "id", living),
    ];
    await sweepAfter(29, { auditRetentionDays: 7 });
    await sweepAfter(364);
    expect(await left()).toEqual([1, 1, 1]);
    await sweepAfter(32, { auditRetentionDays: 7 });
    expect(await left()).toEqual([0, 0, 1]);
  });
});

describe("accounts that were never verified", () => {
  test("go with their tenant once no session and no key leads to them, and their address is free again", async () => {
    const squatter = await signUp();
    await mailTo(squatter.email, /Verify/);
    const webhookId = await subscribe(squatter, newInbox("200").url);
    await env.DB.prepare("UPDATE sessions SET expires_at = ? WHERE user_id = ?")
      .bind(Date.now() + 60 * DAY_MS, squatter.userId)
      .run();
    await sweepAfter(45);
    expect(await countOf("users", "email", squatter.email)).toBe(1);
    await call("POST", "/auth/logout", { body: { refreshToken: squatter.refreshToken } });
    await sweepAfter(30);
    expect(await countOf("users", "email", squatter.email)).toBe(1);
    await sweepAfter(32);
    expect([
      await countOf("users", "email", squatter.email),
      await countOf("tenants", "id", squatter.tenantId),
      await countOf("memberships", "user_id", squatter.userId),
      await countOf("sessions", "user_id", squatter.userId),
    ]).toEqual([0, 0, 0, 0]);
    await purgeAll(400);
    const texts = [squatter.userId, squatter.tenantId, squatter.email, webhookId];
    expect((await Promise.all(texts.map(occurrencesOf))).flat()).toEqual([]);
    expect(mailsTo(squatter.email).filter(({ subject }) => /deleted/.test(subject))).toEqual([]);
    const again = await call("POST", "/auth/register", { body: { email: squatter.email, password: "correct horse" } });
    expect(again.status).toBe(201);
    const hook = await call("GET", `/webhooks/${webhookId}`, { token: again.body.data.accessToken });
    expect(hook.status).toBe(404);
  });

  test("stay for 30 days after their last use, however old they are", async () => {
    const person = await signUp();
    await mailTo(person.email, /Verify/);
    await env.DB.prepare("UPDATE sessions SET expires_at = ? WHERE user_id = ?")
      .bind(Date.now() + 90 * DAY_MS, person.userId)
      .run();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60 * DAY_MS });
    await call("POST", "/auth/logout", { body: { refreshToken: person.refreshToken } });
    const exists = () => countOf("users", "id", person.userId);
    await sweepAfter(29);
    expect(await exists()).toBe(1);
    vi.setSystemTime(Date.now() + 29 * DAY_MS);
    const login = await call("POST", "/auth/login", { body: { email: person.email, password: PASSWORD } });
    expect(login.body.code).toBe("EMAIL_NOT_VERIFIED");
    await eventually(
      "the new link",
      async () => mailsTo(person.email).filter(({ subject }) => /Verify/.test(subject)).length > 1,
    );
    await sweepAfter(29);
    expect(await exists()).toBe(1);
    await sweepAfter(32);
    expect(await exists()).toBe(0);
  });

  test("stay while they or their tenant are suspended, so that the suspension lasts", async () => {
    const [person, ofTenant] = [await signUp(), await signUp()];
    for (const { email, refreshToken } of [person, ofTenant]) {
      await mailTo(email, /Verify/);
      await call("POST", "/auth/logout", { body: { refreshToken } });
    }
    const suspend = (table: string, id: string, at: number | null) =>
      env.DB.prepare(`UPDATE ${table} SET suspended_at = ? WHERE id = ?`).bind(at, id).run();
    const counts = async () => [
      await countOf("users", "id", person.userId),
      await countOf("users", "id", ofTenant.userId),
    ];
    await suspend("users", person.userId, 1);
    await suspend("tenants", ofTenant.tenantId, 1);
    await sweepAfter(100);
    expect(await counts()).toEqual([1, 1]);
    await suspend("users", person.userId, null);
    await suspend("tenants", ofTenant.tenantId, null);
    await sweepAfter(100);
    expect(await counts()).toEqual([0, 0]);
  });

  test("stay while an API key of theirs works", async () => {
    const person = await signUp();
    await mailTo(person.email, /Verify/);
    await call("POST", "/api-keys", { token: person.token, body: { name: "k", scopes: ["webhook.read"] } });
    await call("POST", "/auth/logout", { body: { refreshToken: person.refreshToken } });
    await sweepAfter(32);
    expect(await countOf("users", "id", person.userId)).toBe(1);
  });

  test("leave a tenant with other members to them", async () => {
    const owner = await signUp();
    await mailTo(owner.email, /Verify/);
    await verify(owner.email);
    const member = await joinTenant(owner, "viewer");
    await env.DB.prepare("UPDATE users SET email_verified_at = NULL WHERE id = ?").bind(owner.userId).run();
    await call("POST", "/auth/logout", { body: { refreshToken: owner.refreshToken } });
    await sweepAfter(32);
    expect(await countOf("users", "id", owner.userId)).toBe(0);
    expect(await countOf("tenants", "id", owner.tenantId)).toBe(1);
    expect((await call("GET", "/auth/me", { token: member.token })).status).toBe(200);
  });

  test("stay where verification is optional, and go in no other way once they are verified", async () => {
    const [optional, verified] = [await signUp(), await signUp()];
    for (const { email, refreshToken } of [optional, verified]) {
      await mailTo(email, /Verify/);
      await call("POST", "/auth/logout", { body: { refreshToken } });
    }
    await sweepAfter(100, { emailVerification: "optional" });
    expect(await countOf("users", "id", optional.userId)).toBe(1);
    await env.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?").bind(verified.userId).run();
    await sweepAfter(100);
    expect(await countOf("users", "id", verified.userId)).toBe(1);
  });
});
