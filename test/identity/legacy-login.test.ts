/** The legacy login: a former service is asked about passwords that this one does not know. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { call, newEmail, PASSWORD, signUpVerified } from "../support/client";
import { passFloors } from "../support/floors";
import { answering, formerService, LEGACY, login, serviceOfDocs } from "../support/former-service";
import { captureLog } from "../support/log-lines";
import { mailTo, tokenIn } from "../support/mailbox";
import { newExternalId, newTenant, newUser, openPlatform } from "../support/platform-api";
import { codeOf } from "../support/two-factor";

const { text, lines } = captureLog();
const waitForFloors = passFloors();

const VERIFIED = { ok: true, profile: { emailVerified: true } };
const SECRET_OF_TOTP = "JBSWY3DPEHPK3PXP";

const userOf = (email: string) =>
  env.DB.prepare("SELECT id, password_hash AS hash, name, external_id AS externalId FROM users WHERE email = ?")
    .bind(email)
    .first<{ id: string; hash: string; name: string | null; externalId: string | null }>();
const refusal = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];
const UNAVAILABLE = [503, "SERVICE_UNAVAILABLE"];

afterEach(async () => {
  vi.unstubAllGlobals();
  await env.DB.prepare("UPDATE users SET password_hash = '' WHERE password_kind IS NOT NULL").run();
});

describe("a right password", () => {
  test("makes the account with its profile, and is asked about once", async () => {
    await openPlatform();
    const tenant = await newTenant({ externalId: newExternalId() });
    const [email, externalId] = [newEmail(), newExternalId()];
    const profile = {
      emailVerified: true,
      externalId,
      name: "Ada",
      metadata: { plan: "gold" },
      memberships: [{ tenant: `ext:${tenant.externalId}`, role: "admin" }],
    };
    const requests = formerService(answering({ ok: true, profile }));
    const { status, body } = await login(email);
    expect(status).toBe(200);
    expect(await userOf(email)).toMatchObject({ externalId, name: "Ada", hash: expect.stringMatching(/^\$argon2id/) });
    const me = (await call("GET", "/auth/me", { token: body.data.accessToken })).body.data;
    expect([me.tenant.id, me.role]).toEqual([tenant.id, "admin"]);
    expect((await login(email)).status).toBe(200);
    expect((await call("POST", "/auth/login", { body: { email, password: PASSWORD } })).status).toBe(200);
    expect(requests).toHaveLength(1);
    const events = await env.DB.prepare(
      `SELECT action, actor_kind AS by, meta ->> 'method' AS method FROM audit_events
        WHERE target_id = ? AND actor_kind = 'user' ORDER BY id LIMIT 3`,
    )
      .bind(me.id)
      .all();
    const [by, method] = ["user", "legacy-login"];
    expect(events.results).toEqual([
      { action: "user.created", by, method },
      { action: "member.added", by, method },
      { action: "auth.login", by, method: "password" },
    ]);
  });

  test("is checked by the service of the docs, which verifies the signature", async () => {
    const email = newEmail();
    const check = async (asked: string, password: string) =>
      asked === email && password === PASSWORD ? { id: newExternalId(), name: "Ada", isVerified: true } : null;
    const requests = formerService(serviceOfDocs({ check }));
    expect((await login(email, { password: "another password" })).status).toBe(401);
    expect((await login(email)).status).toBe(200);
    expect(requests).toHaveLength(2);
    const wrongSecret = { LEGACY_LOGIN_SECRET: "another secret of the same length, or so" };
    expect(refusal(await login(newEmail(), {}, wrongSecret))).toEqual(UNAVAILABLE);
  });

  test("of 10 sign-ins at once makes one account, and lets all of them in", async () => {
    const email = newEmail();
    formerService(answering(VERIFIED));
    // Each computes a hash, for which the others wait. On a busy machine, the former service's five seconds would pass.
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => new AbortController().signal);
    onTestFinished(() => timeout.mockRestore());
    const answers = await Promise.all(Array.from({ length: 10 }, () => login(email)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const counts = `SELECT (SELECT count(*) FROM users WHERE email = ?1) AS users,
      (SELECT count(*) FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = ?1) AS memberships`;
    expect(await env.DB.prepare(counts).bind(email).first()).toEqual({ users: 1, memberships: 1 });
  });

  test("completes an account that never had a password, and asks for its second factor", async () => {
    await openPlatform();
    const user = await newUser({ emailVerified: true, name: "Ada" });
    formerService(answering({ ok: true, profile: { name: "Bob", totp: { secret: SECRET_OF_TOTP } } }));
    expect(refusal(await login(user.email))).toEqual([403, "TOTP_REQUIRED"]);
    expect((await login(user.email, { totp: codeOf(SECRET_OF_TOTP) })).status).toBe(200);
    expect(await userOf(user.email)).toMatchObject({ id: user.id, name: "Bob" });
  });

  test("does not let in who has not proven the address, until the mail did", async () => {
    const email = newEmail();
    formerService(answering({ ok: true }));
    expect(refusal(await login(email))).toEqual([403, "EMAIL_NOT_VERIFIED"]);
    await call("POST", "/auth/verify-email", { body: { token: tokenIn(await mailTo(email, /Verify/)) } });
    expect((await login(email)).status).toBe(200);
  });

  test("of fewer than 8 bytes is kept, too", async () => {
    const [email, password] = [newEmail(), "short"];
    const requests = formerService(answering(VERIFIED));
    for (let time = 0; time < 2; time += 1) expect((await login(email, { password })).status).toBe(200);
    expect(requests).toHaveLength(1);
    expect((await login(email, { password: "shore" })).status).toBe(401);
  });
});

describe("the former service is not asked", () => {
  test("for an account that has a password here", async () => {
    const person = await signUpVerified();
    const requests = formerService(answering(VERIFIED));
    expect((await login(person.email, { password: "wrong password" })).status).toBe(401);
    expect((await login(person.email)).status).toBe(200);
    expect(requests).toEqual([]);
  });

  test("for an account whose password was taken away", async () => {
    const person = await signUpVerified();
    await env.DB.prepare("UPDATE users SET password_hash = '' WHERE id = ?").bind(person.userId).run();
    const requests = formerService(answering(VERIFIED));
    expect((await login(person.email)).status).toBe(401);
    expect(requests).toEqual([]);
  });

  test("for operators, after its date, while passwords are off, or while the account is locked", async () => {
    const email = newEmail();
    const requests = formerService(answering({ ok: false }));
    expect((await login(email, {}, { OPERATORS: email })).status).toBe(401);
    expect((await login(email, {}, { LEGACY_LOGIN_UNTIL: "2026-01-01" })).status).toBe(401);
    expect((await login(email, {}, { PASSWORDS: "off" })).status).toBe(403);
    expect(requests).toEqual([]);
    await Promise.all(Array.from({ length: 20 }, () => login(email)));
    expect(requests.length).toBeLessThanOrEqual(10);
    expect((await login(email)).status).toBe(423);
  });
});

describe("an account that somebody uses here", () => {
  const withoutPassword = async () => {
    const person = await signUpVerified();
    await env.DB.prepare("UPDATE users SET password_hash = '' WHERE id = ?").bind(person.userId).run();
    await env.DB.prepare("UPDATE users SET password_removed_at = NULL WHERE id = ?").bind(person.userId).run();
    return person;
  };

  test.each([
    ["says that the address is unproven", { ok: true, profile: { emailVerified: false } }],
    ["says nothing about the address", { ok: true, profile: { name: "Ada" } }],
    ["answers without a profile", { ok: true }],
  ])("stays closed when the former service %s", async (_, answer) => {
    const person = await withoutPassword();
    formerService(answering(answer));
    expect((await login(person.email)).status).toBe(401);
    expect((await userOf(person.email))?.hash).toBe("");
  });

  test("gets the password otherwise", async () => {
    const person = await withoutPassword();
    formerService(answering(VERIFIED));
    expect((await login(person.email)).status).toBe(200);
  });

  test("loses what a squatter has set up, when the former service vouches for the address", async () => {
    const person = await withoutPassword();
    await env.DB.prepare("UPDATE users SET email_verified_at = NULL WHERE id = ?").bind(person.userId).run();
    formerService(answering(VERIFIED));
    expect((await login(person.email)).status).toBe(200);
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(401);
  });
});

describe("a wrong password", () => {
  test.each([
    ["ok: false", { ok: false }, 200],
    ["404", { error: "not found" }, 404],
  ])("(%s) is refused after a second, for whomever it is, and counts", async (_, body, status) => {
    waitForFloors();
    const native = await signUpVerified();
    formerService(answering(body, status));
    for (const email of [newEmail(), native.email]) {
      const began = performance.now();
      expect(refusal(await login(email, { password: "wrong password" }))).toEqual([401, "UNAUTHENTICATED"]);
      expect(performance.now() - began).toBeGreaterThanOrEqual(999);
    }
    const email = newEmail();
    await Promise.all(Array.from({ length: 10 }, () => login(email)));
    expect((await login(email)).status).toBe(423);
  });
});

describe("an answer that is none", () => {
  const large = () => new Response(JSON.stringify({ ok: true, filler: "x".repeat(65_536) }));
  test.each<[string, () => Response | Promise<Response>, string]>([
    ["a fault", () => Response.json({ ok: true }, { status: 500 }), "status 500"],
    ["another status", () => Response.json({ ok: true }, { status: 201 }), "status 201"],
    ["a redirect", () => Response.redirect("https://former.example/", 302), "status 302"],
    ["no JSON", () => new Response("yes"), "an answer that cannot be read"],
    ["other JSON", () => Response.json({ ok: "true" }), "an answer that cannot be read"],
    ["more than 64 KiB", large, "an answer of more than 64 KiB"],
    ["no connection", () => Promise.reject(new TypeError("refused")), "no connection"],
  ])("(%s) leads to 503, and counts as no guess", async (_, answer, reason) => {
    const email = newEmail();
    formerService(answer);
    expect(refusal(await login(email))).toEqual(UNAVAILABLE);
    expect(lines("legacy login failed").at(-1)?.reason).toBe(reason);
    expect(await userOf(email)).toBeNull();
  });

  test("(nothing for 5 seconds) leads to 503, and counts as no guess", async () => {
    const email = newEmail();
    formerService(() => new Promise<never>(() => {}));
    const real = AbortSignal.timeout.bind(AbortSignal);
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => real(ms / 50));
    onTestFinished(() => timeout.mockRestore());
    expect(refusal(await login(email))).toEqual(UNAVAILABLE);
    expect(timeout.mock.calls).toContainEqual([5_000]);
    expect(lines("legacy login failed").at(-1)?.reason).toBe("no answer within 5 seconds");
    expect(await userOf(email)).toBeNull();
  });

  test("does not lock the account, however often it is tried", async () => {
    const email = newEmail();
    formerService(answering({}, 500));
    for (let time = 0; time < 12; time += 1) expect(refusal(await login(email))).toEqual(UNAVAILABLE);
  });

  test("of 64 KiB is read", async () => {
    const filler = "x".repeat(65_536 - JSON.stringify({ ...VERIFIED, filler: "" }).length);
    formerService(answering({ ...VERIFIED, filler }));
    expect((await login(newEmail())).status).toBe(200);
  });
});

describe("a profile", () => {
  test.each([
    [{ name: 7 }, /^name: /],
    [{ memberships: [{ tenant: "ext:nobody", role: "admin" }] }, /There is no such tenant/],
    [{ totp: { secret: "0" } }, /^totp\.secret: /],
    [{ createdAt: "2999-01-01T00:00:00Z" }, /Must be in the past/],
  ])("that an import would refuse (%o) leads to 503, and counts as no guess", async (profile, reason) => {
    const email = newEmail();
    formerService(answering({ ok: true, profile }));
    expect(refusal(await login(email))).toEqual(UNAVAILABLE);
    expect(lines("legacy login refused").at(-1)?.reason).toMatch(reason);
    expect(await userOf(email)).toBeNull();
  });

  test("cannot bring another address or a hash", async () => {
    const [email, other] = [newEmail(), newEmail()];
    const hash = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
    formerService(answering({ ok: true, profile: { email: other, password: { hash }, emailVerified: true } }));
    expect((await login(email)).status).toBe(200);
    expect(await userOf(other)).toBeNull();
    expect((await login(email)).status).toBe(200);
  });
});

test("the password and the secret stand in no log", async () => {
  const password = `a password ${crypto.randomUUID()}`;
  formerService((request) => request.text().then((body) => new Response(body, { status: 500 })));
  await login(newEmail(), { password });
  formerService((request) => request.text().then((body) => Response.json({ ok: true, profile: { name: body } })));
  await login(newEmail(), { password });
  expect(text.join("\n")).not.toContain(password);
  expect(text.join("\n")).not.toContain(LEGACY.LEGACY_LOGIN_SECRET);
});
