/** What the audit log keeps of failed logins: of known accounts only, and a bounded number of rows. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import { recordFailedLogin } from "../../src/tenancy/audit/failed-login-store";
import { call, eventually, newEmail, PASSWORD, type Person, signUp, signUpVerified, verify } from "../support/client";
import { captureLog } from "../support/log-lines";
import { joinTenant } from "../support/people";
import { enrol } from "../support/two-factor";

const HOUR_MS = 3_600_000;
const captured = captureLog();

afterEach(() => void vi.useRealTimers());

const guess = (email: string, fields: Record<string, unknown> = {}) =>
  call("POST", "/auth/login", { body: { email, password: "wrong password", ...fields } });

interface Recorded {
  action: string;
  meta: Record<string, unknown>;
  actor: unknown;
  target: { id: string };
}

const eventsOf = async ({ token }: Pick<Person, "token">, action: string): Promise<Recorded[]> =>
  (await call("GET", `/audit?limit=200&action=${action}`, { token })).body.data;

const failures = (person: Person, count: number) =>
  eventually(`${count} failed logins`, async () => {
    const found = await eventsOf(person, "auth.login_failed");
    return found.length >= count && found;
  });

test("a wrong password is recorded in the tenant that the login would have opened, by somebody anonymous", async () => {
  const owner = await signUpVerified();
  const guest = await joinTenant(owner, "admin");
  await guess(guest.email);
  const [failed] = await failures(owner, 1);
  expect(failed).toMatchObject({
    actor: { kind: "anonymous", id: null, name: null },
    target: { kind: "user", id: guest.userId },
    meta: { factor: "password" },
  });
  const own = await call("GET", "/auth/me/activity", { token: guest.token });
  expect(own.body.data[0].action).toBe("auth.login_failed");
});

test("an address that nobody has leaves a log line, without the address, and no event", async () => {
  const email = newEmail();
  const count = () => env.DB.prepare("SELECT count(*) AS n FROM audit_events").first<{ n: number }>();
  const before = await count();
  await guess(email);
  await eventually("the line", async () => captured.lines("login to an unknown account").length > 0);
  expect(captured.text.join("\n")).not.toContain(email);
  expect(await count()).toEqual(before);
});

test("an hour has five rows of an account and one that counts the rest, also of parallel ones, and the next hour begins anew", async () => {
  const owner = await signUp();
  const { userId, tenantId } = owner;
  const hour = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  vi.useFakeTimers({ toFake: ["Date"], now: hour });
  const deps = await createDeps(env, createExecutionContext());
  const origin = { ip: "192.0.2.1", userAgent: null, requestId: null };
  const fail = () => recordFailedLogin(deps, { userId, tenantId }, { pool: "password", startedLock: false }, origin);
  await Promise.all(Array.from({ length: 30 }, fail));
  const metas = async () =>
    (
      await env.DB.prepare(
        "SELECT meta FROM audit_events WHERE tenant_id = ? AND action = 'auth.login_failed' ORDER BY id",
      )
        .bind(tenantId)
        .all<{ meta: string }>()
    ).results.map(({ meta }) => JSON.parse(meta));
  expect(await metas()).toEqual([...Array(5).fill({ factor: "password" }), { count: 25 }]);
  vi.setSystemTime(hour + HOUR_MS);
  await fail();
  expect((await metas()).at(-1)).toEqual({ factor: "password" });
  expect(await metas()).toHaveLength(7);
});

test("the bound is one of the account, also when it signs in to other tenants", async () => {
  const [owner, host] = [await signUpVerified(), await signUp()];
  const hour = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS;
  vi.useFakeTimers({ toFake: ["Date"], now: hour });
  const deps = await createDeps(env, createExecutionContext());
  const origin = { ip: "192.0.2.1", userAgent: null, requestId: null };
  const wrong = { pool: "password", startedLock: false } as const;
  for (let n = 0; n < 20; n += 1) {
    const { tenantId } = n % 2 === 0 ? owner : host;
    await recordFailedLogin(deps, { userId: owner.userId, tenantId }, wrong, origin);
  }
  const { results } = await env.DB.prepare(
    "SELECT meta FROM audit_events WHERE target_id = ? AND action = 'auth.login_failed' ORDER BY id",
  )
    .bind(owner.userId)
    .all<{ meta: string }>();
  const metas = results.map(({ meta }) => JSON.parse(meta));
  expect(metas).toEqual([...Array(5).fill({ factor: "password" }), { count: 15 }]);
});

test("who registered an address that is not verified does not learn where its owner is", async () => {
  const squatter = await signUp();
  const headers = { "cf-connecting-ip": "198.51.100.42", "user-agent": "the owner's browser" };
  await call("POST", "/auth/login", { body: { email: squatter.email, password: "wrong password" }, headers });
  await call("POST", "/auth/forgot-password", { body: { email: squatter.email }, headers });
  await failures(squatter, 1);
  await eventually("the request for a reset, which the queue of mails records", async () => {
    return (await eventsOf(squatter, "auth.password_reset_requested")).length > 0;
  });
  const texts = [];
  for (const path of ["/auth/me/activity", "/audit?limit=200", "/audit/export"]) {
    texts.push(JSON.stringify((await call("GET", path, { token: squatter.token })).body));
  }
  for (const text of texts) {
    expect(text).toContain("auth.login_failed");
    expect(text).toContain("auth.password_reset_requested");
    expect(text).not.toContain("198.51.100.42");
    expect(text).not.toContain("browser");
  }
  await verify(squatter.email);
  await call("POST", "/auth/login", { body: { email: squatter.email, password: "wrong password" }, headers });
  const found = await failures(squatter, 2);
  expect(JSON.stringify(found)).toContain("198.51.100.42");
});

test("the tenth wrong password is recorded as the lock", async () => {
  const owner = await signUp();
  for (let attempt = 0; attempt < 10; attempt++) await guess(owner.email);
  const [locked] = await eventually("the lock", async () => {
    const found = await eventsOf(owner, "auth.locked");
    return found.length > 0 && found;
  });
  expect(locked).toMatchObject({
    actor: { kind: "anonymous" },
    target: { id: owner.userId },
    meta: { factor: "password" },
  });
});

test("a wrong code is a failed login, and ten wrong codes of a signed-in user are their lock", async () => {
  const owner = await signUpVerified();
  await enrol(owner);
  for (let attempt = 0; attempt < 2; attempt++) await guess(owner.email, { password: PASSWORD, totp: "000000" });
  expect((await failures(owner, 2)).map(({ meta }) => meta)).toEqual(Array(2).fill({ factor: "totp" }));
  for (let attempt = 0; attempt < 8; attempt++) {
    await call("POST", "/auth/2fa/disable", { token: owner.token, body: { token: "000000" } });
  }
  const [locked] = await eventually("the lock", async () => {
    const found = await eventsOf(owner, "auth.locked");
    return found.length > 0 && found;
  });
  expect(locked).toMatchObject({ actor: { kind: "user", id: owner.userId }, meta: { factor: "totp" } });
});
