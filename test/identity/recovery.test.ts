/** Verification and reset: messages, single use, and what a reset ends. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Secret, TOTP } from "otpauth";
import { afterEach, describe, expect, test, vi } from "vitest";
import worker from "../../src";
import { forgetFiles } from "../../src/base/files";
import {
  call,
  eventually,
  logIn,
  newAddress,
  newEmail,
  PASSWORD,
  type Person,
  signUp,
  verify,
} from "../support/client";
import { captureLog } from "../support/log-lines";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";

const NEW_PASSWORD = "a much better password";
const HOUR_MS = 3_600_000;
/** A caller of its own: the limits of forgot and reset are per address. */
const elsewhere = () => ({ "cf-connecting-ip": newAddress() });

afterEach(() => {
  vi.useRealTimers();
});

function later(ms: number): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: now + ms });
}

const forgot = (email: string) => call("POST", "/auth/forgot-password", { body: { email }, headers: elsewhere() });
const reset = (token: string, newPassword = NEW_PASSWORD) =>
  call("POST", "/auth/reset-password", { body: { token, newPassword }, headers: elsewhere() });
const login = (person: Person, password: string, totp?: string) =>
  call("POST", "/auth/login", { body: { email: person.email, password, totp } });

const resetMails = (email: string) => mailsTo(email).filter((mail) => /reset/i.test(mail.subject));

/** Asks for a reset and reads its token from the mail. */
async function resetToken(email: string): Promise<string> {
  const before = resetMails(email).length;
  await forgot(email);
  return eventually("reset mail", async () => {
    const mails = resetMails(email);
    const newest = mails.at(-1);
    return mails.length > before && newest ? tokenIn(newest) : null;
  });
}

describe("verification", () => {
  test("of 10 parallel uses of a token, one verifies; an unknown or expired one is refused", async () => {
    const person = await signUp();
    const token = tokenIn(await mailTo(person.email, /verify/i));
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call("POST", "/auth/verify-email", { body: { token } })),
    );
    const messages = answers.map((answer) => answer.body.message).sort();
    expect(messages).toEqual([...Array(9).fill("Email already verified."), "Email verified successfully."]);
    const bad = await call("POST", "/auth/verify-email", { body: { token: "f".repeat(64) } });
    expect([bad.status, bad.body.code, bad.body.message]).toEqual([
      400,
      "INVALID_TOKEN",
      "Invalid or expired verification token.",
    ]);
    const late = await signUp();
    const expired = tokenIn(await mailTo(late.email, /verify/i));
    later(24 * HOUR_MS);
    expect((await call("POST", "/auth/verify-email", { body: { token: expired } })).status).toBe(400);
  });

  test("resending works five times in two minutes, and the older token stays valid", async () => {
    const person = await signUp();
    const first = tokenIn(await mailTo(person.email, /verify/i));
    const resend = () => call("POST", "/auth/resend-verification", { token: person.token });
    const sent = await resend();
    expect([sent.status, sent.body]).toEqual([200, { message: "Verification email sent." }]);
    await eventually("second mail", async () => mailsTo(person.email).length === 2);
    expect((await call("POST", "/auth/verify-email", { body: { token: first } })).status).toBe(200);
    expect((await resend()).body).toEqual({ message: "Email already verified." });
    for (let count = 0; count < 3; count++) await resend();
    const limited = await resend();
    expect([limited.status, limited.body.code, limited.headers.get("ratelimit-limit")]).toEqual([
      429,
      "RATE_LIMITED",
      "5",
    ]);
  });
});

describe("forgot-password", () => {
  test("gives the same answer for known and unknown emails", async () => {
    const person = await signUp();
    const known = await forgot(person.email);
    const unknown = await forgot(newEmail());
    expect(known.body).toEqual({
      message: "If an account exists for that email, a reset link has been sent.",
    });
    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
  });

  test("allows 3 requests a minute, and reset-password allows 5", async () => {
    const headers = elsewhere();
    const call3 = () => call("POST", "/auth/forgot-password", { body: { email: newEmail() }, headers });
    for (let count = 0; count < 3; count++) expect((await call3()).status).toBe(200);
    expect((await call3()).status).toBe(429);
    const call5 = () => call("POST", "/auth/reset-password", { body: { token: "x", newPassword: "short" }, headers });
    for (let count = 0; count < 5; count++) expect((await call5()).status).toBe(400);
    expect((await call5()).status).toBe(429);
  });
});

describe("reset-password", () => {
  test("sets the password, ends every session, lifts the lock and notifies by mail", async () => {
    const person = await signUp();
    await verify(person.email);
    const token = await resetToken(person.email);
    for (let attempt = 0; attempt < 10; attempt++) await login(person, "wrong password");
    expect((await login(person, PASSWORD)).status).toBe(423);
    const done = await reset(token);
    expect([done.status, done.body]).toEqual([200, { message: "Password reset successfully." }]);
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(401);
    expect((await login(person, PASSWORD)).status).toBe(401);
    expect((await login(person, NEW_PASSWORD)).status).toBe(200);
    await mailTo(person.email, /password was changed/);
  });

  test("of 10 parallel uses of one token, one succeeds", async () => {
    const person = await signUp();
    const token = await resetToken(person.email);
    const answers = await Promise.all(Array.from({ length: 10 }, () => reset(token)));
    expect(answers.filter((answer) => answer.status === 200).length).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect([answer.status, answer.body.message]).toEqual([400, "Invalid or expired reset token."]);
    }
  });

  test("a newer token does not end an older one; a reset ends all", async () => {
    const person = await signUp();
    const tokens = [await resetToken(person.email), await resetToken(person.email), await resetToken(person.email)];
    const [oldest = "", ...others] = tokens;
    expect((await reset(oldest)).status).toBe(200);
    for (const token of [...others, "f".repeat(64)]) {
      const refused = await reset(token);
      expect([refused.status, refused.body.code, refused.body.message]).toEqual([
        400,
        "INVALID_TOKEN",
        "Invalid or expired reset token.",
      ]);
    }
  });

  test("at most 5 mails an hour go to an address, and every answer is the same", async () => {
    const { email } = await signUp();
    const answers = await Promise.all(Array.from({ length: 50 }, () => forgot(email)));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    await eventually("five reset mails", async () => resetMails(email).length === 5);
    expect((await forgot(email)).status).toBe(200);
    later(HOUR_MS);
    await resetToken(email);
    expect(resetMails(email).length).toBe(6);
  });

  test("an expired token is refused", async () => {
    const person = await signUp();
    const token = await resetToken(person.email);
    later(HOUR_MS);
    const expired = await reset(token);
    expect([expired.status, expired.body.code, expired.body.message]).toEqual([
      400,
      "TOKEN_EXPIRED",
      "Reset token has expired.",
    ]);
  });

  test("also ends API keys and second factor of an account that was never verified", async () => {
    const squatter = await signUp();
    const enable = await call("POST", "/auth/2fa/enable", { token: squatter.token });
    const totp = new TOTP({ secret: Secret.fromBase32(enable.body.data.secret) }).generate();
    await call("POST", "/auth/2fa/verify", { token: squatter.token, body: { token: totp } });
    const created = await call("POST", "/api-keys", {
      token: squatter.token,
      body: { name: "back door", scopes: ["webhook.read"] },
    });
    const { key } = created.body.data;
    expect((await call("GET", "/webhooks", { token: key })).status).toBe(200);
    expect((await reset(await resetToken(squatter.email))).status).toBe(200);
    expect((await call("GET", "/webhooks", { token: key })).status).toBe(401);
    expect((await call("GET", "/auth/me", { token: squatter.token })).status).toBe(401);
    expect((await login(squatter, PASSWORD)).status).toBe(401);
    expect((await login(squatter, NEW_PASSWORD)).status).toBe(200);
  });

  test("keeps the second factor of a verified account", async () => {
    const person = await signUp();
    await verify(person.email);
    const enable = await call("POST", "/auth/2fa/enable", { token: person.token });
    const totp = new TOTP({ secret: Secret.fromBase32(enable.body.data.secret) }).generate();
    await call("POST", "/auth/2fa/verify", { token: person.token, body: { token: totp } });
    const done = await reset(await resetToken(person.email));
    expect(done.body).toEqual({ message: "Password reset successfully." });
    expect((await login(person, NEW_PASSWORD)).body.code).toBe("TOTP_REQUIRED");
  });

  test("D1 stores no mailed token", async () => {
    const person = await signUp();
    const token = await resetToken(person.email);
    const { results } = await env.DB.prepare("SELECT * FROM email_tokens").all();
    expect(JSON.stringify(results)).not.toContain(token);
  });
});

describe("guessable passwords", () => {
  const captured = captureLog();

  test("are refused at registration, change and reset, with a detail that names the field", async () => {
    const email = newEmail();
    for (const password of ["Password1", "qwertyuiop", email]) {
      const refused = await call("POST", "/auth/register", { body: { email, password } });
      expect([refused.status, refused.body.code, refused.body.details[0].path]).toEqual([
        400,
        "VALIDATION_FAILED",
        "password",
      ]);
    }
    const person = await signUp();
    const changed = await call("POST", "/auth/change-password", {
      token: person.token,
      body: { currentPassword: PASSWORD, newPassword: "12345678" },
    });
    expect(changed.body.details[0].path).toBe("newPassword");
    const token = await resetToken(person.email);
    expect((await reset(token, person.email)).body.details[0].path).toBe("newPassword");
    expect((await reset(token, "football")).body.code).toBe("VALIDATION_FAILED");
    expect((await reset(token)).status).toBe(200);
    await logIn(person, NEW_PASSWORD);
  });

  /** The status of a registration with other bindings. */
  async function register(password: string, bindings: Partial<Env>, email = newEmail()): Promise<number> {
    const context = createExecutionContext();
    const request = new Request<unknown, IncomingRequestCfProperties>("http://postern.test/api/v1/auth/register", {
      method: "POST",
      headers: { "content-type": "application/json", ...elsewhere() },
      body: JSON.stringify({ email, password }),
    });
    const answer = await worker.fetch(request, { ...env, ...bindings }, context);
    await waitOnExecutionContext(context);
    return answer.status;
  }

  test("are accepted when COMMON_PASSWORDS is allow", async () => {
    expect(await register("password1", { COMMON_PASSWORDS: "allow" })).toBe(201);
  });

  test("are accepted while their file cannot be read, the email address apart, and a line says so", async () => {
    forgetFiles();
    const broken = { ASSETS: { fetch: () => Promise.reject(new Error("no assets")) } as unknown as Fetcher };
    const email = newEmail();
    expect([await register("password1", broken), await register(email, broken, email)]).toEqual([201, 400]);
    expect(captured.lines("file not read")).toMatchObject([{ file: "lists/common-passwords.txt" }, {}]);
    expect(await register("password1", {})).toBe(400);
  });
});
