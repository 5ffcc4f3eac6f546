/** Login: the lock, equal answers, hash upgrade, round trips, and forged access tokens. */
import { env } from "cloudflare:workers";
import { base64url, SignJWT } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { deriveKeyRing } from "../../src/base/crypto/keys";
import { call, logIn, newEmail, PASSWORD, type Person, signUp, verify } from "../support/client";
import { readSigners } from "../support/cost";
import { mailTo, tokenIn } from "../support/mailbox";
import { invite } from "../support/people";

const MINUTE_MS = 60_000;
/** Of PASSWORD with weaker parameters, made by OpenSSL through node:crypto. */
const OUTDATED_HASH =
  "$argon2id$v=19$m=8192,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$mu73UxPlhfSSwzxeEtgumtJTt914Yy1Tfomc1O3deJw";

afterEach(() => {
  vi.useRealTimers();
});

function later(ms: number): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: now + ms });
}

const login = (email: string, password = PASSWORD) => call("POST", "/auth/login", { body: { email, password } });

const statuses = (answers: { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe("the lock", () => {
  test.each(["known", "unknown"])("of 50 parallel wrong passwords at most 10 are evaluated: %s email", async (kind) => {
    const email = kind === "known" ? (await signUp()).email : newEmail();
    const answers = await Promise.all(Array.from({ length: 50 }, () => login(email, "wrong password")));
    expect(statuses(answers, 401)).toBe(10);
    expect(statuses(answers, 423)).toBe(40);
    const locked = await login(email);
    expect([locked.status, locked.body.code, locked.body.message]).toEqual([
      423,
      "ACCOUNT_LOCKED",
      "Account locked. Try again later.",
    ]);
    expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(14 * 60);
  });

  test("lasts 15 minutes, then 30, and a success clears the count", async () => {
    const { email } = await signUp();
    await verify(email);
    const fail = async (count: number) => {
      for (let attempt = 0; attempt < count; attempt++) expect((await login(email, "wrong password")).status).toBe(401);
    };
    await fail(9);
    expect((await login(email)).status).toBe(200);
    await fail(10);
    later(15 * MINUTE_MS - 5_000);
    expect((await login(email)).status).toBe(423);
    later(10_000);
    await fail(10);
    later(29 * MINUTE_MS);
    expect((await login(email)).status).toBe(423);
    later(2 * MINUTE_MS);
    expect((await login(email)).status).toBe(200);
  });
});

describe("login", () => {
  test("gives the same answer for a wrong password and an unknown email", async () => {
    const { email } = await signUp();
    const known = await login(email, "wrong password");
    const unknown = await login(newEmail(), "wrong password");
    expect([known.status, known.body.code, known.body.message]).toEqual([
      401,
      "UNAUTHENTICATED",
      "Invalid email or password.",
    ]);
    expect({ ...unknown.body, requestId: "" }).toEqual({ ...known.body, requestId: "" });
  });

  test("treats full-width and mixed-case spellings of an email as one account", async () => {
    const email = newEmail();
    await call("POST", "/auth/register", { body: { email, password: PASSWORD } });
    const wide = email.toUpperCase().replace("USER", "ＵＳＥＲ");
    const again = await call("POST", "/auth/register", { body: { email: wide, password: PASSWORD } });
    expect([again.status, again.body.code]).toEqual([409, "EMAIL_TAKEN"]);
    await verify(email);
    expect((await login(wide)).status).toBe(200);
  });

  test("replaces a hash that has outdated parameters", async () => {
    const { email } = await signUp();
    await env.DB.prepare("UPDATE users SET password_hash = ?, email_verified_at = 1 WHERE email = ?")
      .bind(OUTDATED_HASH, email)
      .run();
    expect((await login(email)).status).toBe(200);
    const row = await env.DB.prepare("SELECT password_hash FROM users WHERE email = ?").bind(email).first();
    expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await login(email)).status).toBe(200);
  });

  test("takes the right password from each of several parallel logins that replace the hash", async () => {
    const { email } = await signUp();
    await env.DB.prepare("UPDATE users SET password_hash = ?, email_verified_at = 1 WHERE email = ?")
      .bind(OUTDATED_HASH, email)
      .run();
    const answers = await Promise.all(Array.from({ length: 8 }, () => login(email)));
    expect(statuses(answers, 200)).toBe(8);
  });
});

describe("D1 round trips", () => {
  test("refresh 1, login 2, register 2 at most, logout 1, a check 1, reset 2", async () => {
    const person = await signUp();
    await verify(person.email);
    const guest = newEmail();
    const { key } = (
      await call("POST", "/api-keys", { token: person.token, body: { name: "k", scopes: ["member.read"] } })
    ).body.data;
    await call("POST", "/webhooks", { token: key, body: {} });
    await call("POST", "/auth/forgot-password", { body: { email: person.email } });
    const resetBody = { token: tokenIn(await mailTo(person.email, /reset/i)), newPassword: "a much better password" };
    const lines = vi.spyOn(console, "log").mockImplementation(() => {});
    const trips = async (work: () => Promise<unknown>) => {
      await readSigners();
      lines.mockClear();
      await work();
      const line = lines.mock.calls.map(([text]) => JSON.parse(String(text))).find((entry) => entry.route);
      return line?.d1Trips;
    };
    expect(await trips(() => call("POST", "/auth/register", { body: { email: guest, password: PASSWORD } }))).toBe(1);
    expect(await trips(() => login(person.email))).toBe(2);
    const refresh = (refreshToken: string) => call("POST", "/auth/refresh", { body: { refreshToken } });
    expect(await trips(() => refresh(person.refreshToken))).toBe(1);
    expect(await trips(() => refresh("forged"))).toBe(0);
    expect(await trips(() => call("POST", "/webhooks", { token: key, body: {} }))).toBe(1);
    expect(await trips(() => call("POST", "/auth/2fa/verify", { token: person.token, body: {} }))).toBe(1);
    const { refreshToken } = await logIn(person);
    expect(await trips(() => call("POST", "/auth/logout", { body: { refreshToken } }))).toBe(1);
    expect(await trips(() => call("POST", "/auth/reset-password", { body: resetBody }))).toBe(2);
    lines.mockRestore();
  });

  test("registering takes 1, and by invitation 2", async () => {
    const lines = vi.spyOn(console, "log").mockImplementation(() => {});
    const register = async (body: object) => {
      await readSigners();
      return call("POST", "/auth/register", { body: { password: PASSWORD, ...body } });
    };
    await register({ email: newEmail() });
    const guest = newEmail();
    await register({ email: guest, invitationToken: await invite(await signUp(), guest, "viewer") });
    const counts = lines.mock.calls
      .map(([text]) => JSON.parse(String(text)))
      .filter((entry) => entry.route === "/api/v1/auth/register")
      .map((entry) => entry.d1Trips);
    expect(counts).toEqual([1, 2]);
    lines.mockRestore();
  });
});

describe("access tokens", () => {
  const claimsOf = (token: string) =>
    JSON.parse(new TextDecoder().decode(base64url.decode(token.split(".")[1] ?? ""))) as Record<string, unknown>;
  const encode = (part: unknown) => base64url.encode(JSON.stringify(part));
  const status = async (token: string) => (await call("GET", "/auth/me", { token })).status;

  async function signer(person: Person) {
    const [{ signing: keys }] = await deriveKeyRing([env.SECRET_KEYS]);
    const signing = keys.ES256;
    const claims = claimsOf(person.token);
    const sign = (changes: Record<string, unknown>, header: Record<string, unknown> = {}) =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: signing.kid, ...header })
        .sign(signing.privateKey);
    return { signing, claims, sign };
  }

  test("a token signed with our key is accepted, and one with any wrong claim or header answers 401", async () => {
    const person = await signUp();
    const { sign } = await signer(person);
    expect(await status(await sign({}))).toBe(200);
    const past = Math.floor(Date.now() / 1000) - 1;
    const other = await signUp();
    const bad = [
      await sign({}, { typ: "JWT" }),
      await sign({}, { kid: "unknown" }),
      await sign({ aud: "elsewhere" }),
      await sign({ iss: "elsewhere" }),
      await sign({ exp: past }),
      await sign({ tid: other.tenantId }),
      await sign({ sub: other.userId }),
      await sign({ sid: crypto.randomUUID() }),
      `${person.token.slice(0, -8)}AAAAAAAA`,
    ];
    for (const token of bad) expect(await status(token)).toBe(401);
  });

  test("alg none, and HS256 with the public key, answer 401", async () => {
    const person = await signUp();
    const { signing, claims } = await signer(person);
    const none = `${encode({ alg: "none", typ: "at+jwt", kid: signing.kid })}.${encode(claims)}.`;
    expect(await status(none)).toBe(401);
    for (const secret of [signing.publicJwk.x ?? "", JSON.stringify(signing.publicJwk)]) {
      const forged = await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", typ: "at+jwt", kid: signing.kid })
        .sign(new TextEncoder().encode(secret));
      expect(await status(forged)).toBe(401);
    }
  });

  test("padding after the signature is refused", async () => {
    const { token } = await signUp();
    for (const padding of ["=", "=="]) expect(await status(`${token}${padding}`)).toBe(401);
  });

  test("malformed Authorization headers answer 401", async () => {
    for (const authorization of [
      "",
      "Bearer",
      "Bearer ",
      "Basic abc",
      "Bearer a b",
      "Bearer a.b.c",
      "bearer ..",
      "x".repeat(5000),
    ]) {
      const answer = await call("GET", "/auth/me", { headers: { authorization } });
      expect([answer.status, answer.body.code]).toEqual([401, "UNAUTHENTICATED"]);
    }
  });
});
