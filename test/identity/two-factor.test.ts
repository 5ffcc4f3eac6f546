/** Two factors: enrolment, login, recovery codes, and the attacks on them. */
import { env } from "cloudflare:workers";
import { Secret, TOTP } from "otpauth";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Answer, call, logIn, PASSWORD, type Person, signUp, verify } from "../support/client";
import { mailTo } from "../support/mailbox";

const STEP_MS = 30_000;
const MINUTE_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

function later(ms: number): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: now + ms });
}

const codeOf = (secret: string, atMs = Date.now()) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMs });

const twoFactor = (person: Person, action: string, body?: unknown) =>
  call("POST", `/auth/2fa/${action}`, { token: person.token, ...(body === undefined ? {} : { body }) });

const codesOf = (answers: Answer[]) => answers.map(({ body }) => body.code);

const login = (person: Person, fields: Record<string, unknown> = {}) =>
  call("POST", "/auth/login", { body: { email: person.email, password: PASSWORD, ...fields } });

/** With the code that was used up by it. */
async function enrolled(): Promise<{ person: Person; secret: string; used: string }> {
  const person = await signUp();
  await verify(person.email);
  const { secret } = (await twoFactor(person, "enable")).body.data;
  const used = codeOf(secret);
  const answer = await twoFactor(person, "verify", { token: used });
  if (answer.status !== 200) throw new Error(`verify answered ${answer.status}`);
  return { person, secret, used };
}

async function withRecoveryCodes() {
  const { person, secret } = await enrolled();
  later(STEP_MS);
  const { body } = await twoFactor(person, "recovery-codes", { token: codeOf(secret) });
  return { person, secret, codes: body.data.recoveryCodes as string[] };
}

describe("enrolment", () => {
  test("answers every state with the status and message of the contract", async () => {
    const person = await signUp();
    await verify(person.email);
    const early = await twoFactor(person, "verify", { token: "123456" });
    expect([early.status, early.body.code, early.body.message]).toEqual([
      400,
      "TWO_FACTOR_NOT_STARTED",
      "Call POST /auth/2fa/enable first.",
    ]);
    const off = await twoFactor(person, "disable", { token: "123456" });
    expect([off.status, off.body.code]).toEqual([400, "TWO_FACTOR_NOT_ENABLED"]);
    const replaced = (await twoFactor(person, "enable")).body.data;
    const { secret, qrCodeUri } = (await twoFactor(person, "enable")).body.data;
    expect(secret).not.toBe(replaced.secret);
    const uri = new URL(qrCodeUri);
    expect(uri.protocol).toBe("otpauth:");
    expect(uri.searchParams.get("secret")).toBe(secret);
    expect(uri.searchParams.get("issuer")).toBe("Postern");
    expect(qrCodeUri).toContain(encodeURIComponent(person.email));
    for (const token of [codeOf(replaced.secret), "000000x", "abc"]) {
      const wrong = await twoFactor(person, "verify", { token });
      expect([wrong.status, wrong.body.code, wrong.body.message]).toEqual([401, "INVALID_TOTP", "Invalid TOTP code."]);
    }
    const on = await twoFactor(person, "verify", { token: codeOf(secret) });
    expect([on.status, on.body]).toEqual([200, { message: "2FA enabled successfully." }]);
    await mailTo(person.email, /turned on/);
    const again = await twoFactor(person, "enable");
    expect([again.status, again.body.code, again.body.message]).toEqual([
      400,
      "TWO_FACTOR_ALREADY_ENABLED",
      "Two-factor authentication is already enabled.",
    ]);
    later(STEP_MS);
    const done = await twoFactor(person, "disable", { token: codeOf(secret) });
    expect([done.status, done.body]).toEqual([200, { message: "2FA disabled successfully." }]);
    await mailTo(person.email, /turned off/);
  });

  test("D1 does not hold the secret in plain text", async () => {
    const { person, secret } = await enrolled();
    const row = await env.DB.prepare("SELECT * FROM users WHERE id = ?").bind(person.userId).first();
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  test("is limited to 10 requests a minute per user", async () => {
    const person = await signUp();
    for (let attempt = 0; attempt < 10; attempt++) await twoFactor(person, "verify", { token: "123456" });
    const limited = await twoFactor(person, "disable", { token: "123456" });
    expect([limited.status, limited.body.code]).toEqual([429, "RATE_LIMITED"]);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("login with two factors", () => {
  test("asks for a code only after the right password", async () => {
    const { person, secret, used } = await enrolled();
    const missing = await login(person);
    expect([missing.status, missing.body.code, missing.body.message]).toEqual([
      403,
      "TOTP_REQUIRED",
      "Two-factor code required.",
    ]);
    expect((await login(person, { password: "wrong password" })).body.code).toBe("UNAUTHENTICATED");
    const replay = await login(person, { totp: used });
    expect([replay.status, replay.body.code]).toEqual([401, "INVALID_TOTP"]);
    const next = await login(person, { totp: codeOf(secret, Date.now() + STEP_MS) });
    expect([next.status, Object.keys(next.body.data).sort()]).toEqual([200, ["accessToken", "refreshToken"]]);
    const tooFar = await login(person, { totp: codeOf(secret, Date.now() + 3 * STEP_MS) });
    expect(tooFar.body.code).toBe("INVALID_TOTP");
  });

  test("of 8 parallel logins with one TOTP code, one succeeds", async () => {
    const { person, secret } = await enrolled();
    later(STEP_MS);
    const totp = codeOf(secret);
    const answers = await Promise.all(Array.from({ length: 8 }, () => login(person, { totp })));
    expect(answers.filter((answer) => answer.status === 200).length).toBe(1);
    const { count } = (await env.DB.prepare("SELECT count(*) AS count FROM sessions WHERE user_id = ?")
      .bind(person.userId)
      .first<{ count: number }>()) ?? { count: 0 };
    expect(count).toBe(2);
  });

  test("ten wrong codes lock the login of that address, even for a right code", async () => {
    const { person, secret } = await enrolled();
    for (let attempt = 0; attempt < 10; attempt++) {
      expect((await login(person, { totp: "000000" })).body.code).toBe("INVALID_TOTP");
    }
    later(STEP_MS);
    for (const fields of [{ totp: codeOf(secret) }, {}]) {
      const locked = await login(person, fields);
      expect([locked.status, locked.body.code]).toEqual([423, "ACCOUNT_LOCKED"]);
    }
  });
});

describe("wrong codes of a signed-in user", () => {
  test("count as at login: after ten, right ones are refused too", async () => {
    const { person, secret } = await enrolled();
    const answers = [];
    for (const action of ["disable", "recovery-codes"]) {
      later(MINUTE_MS);
      for (let attempt = 0; attempt < 5; attempt++) answers.push(await twoFactor(person, action, { token: "000000" }));
    }
    expect(codesOf(answers)).toEqual(Array(10).fill("INVALID_TOTP"));
    later(MINUTE_MS);
    expect((await login(person)).body.code).toBe("ACCOUNT_LOCKED");
    const locked = await twoFactor(person, "disable", { token: codeOf(secret) });
    expect([locked.status, locked.body.code]).toEqual([423, "ACCOUNT_LOCKED"]);
    expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("recovery codes", () => {
  test("there are ten, and each works once, even in parallel", async () => {
    const { person, codes } = await withRecoveryCodes();
    expect(codes.length).toBe(10);
    expect(new Set(codes).size).toBe(10);
    const [first = "", second = "", third = ""] = codes;
    expect((await login(person, { totp: first.toLowerCase() })).status).toBe(200);
    expect((await login(person, { totp: first })).body.code).toBe("INVALID_TOTP");
    const answers = await Promise.all(Array.from({ length: 8 }, () => login(person, { totp: second })));
    expect(answers.filter((answer) => answer.status === 200).length).toBe(1);
    expect((await twoFactor(person, "disable", { token: third })).status).toBe(200);
    expect((await login(person)).status).toBe(200);
    const left = await env.DB.prepare("SELECT count(*) AS count FROM recovery_codes WHERE user_id = ?")
      .bind(person.userId)
      .first<{ count: number }>();
    expect(left?.count).toBe(0);
  });

  test("a new set replaces the old one, and D1 holds none in plain text", async () => {
    const { person, codes } = await withRecoveryCodes();
    const [first = "", second = ""] = codes;
    const renewed = await twoFactor(person, "recovery-codes", { token: first });
    expect(renewed.status).toBe(200);
    expect((await login(person, { totp: second })).body.code).toBe("INVALID_TOTP");
    const { results } = await env.DB.prepare("SELECT * FROM recovery_codes").all();
    expect(JSON.stringify(results)).not.toContain(second.replaceAll("-", ""));
    await logIn(person, PASSWORD, { totp: renewed.body.data.recoveryCodes[0] });
  });
});
