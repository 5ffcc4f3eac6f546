/** What the audit log keeps of failed logins: of known accounts only, and a bounded number of rows. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { recordFailedLogin } from "../../src/audit/failed-login-store";
import { createDeps } from "../../src/deps";
import { call, eventually, newEmail, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
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
