/** Turnstile: what needs a token, which tokens count, and what happens while there is no verdict. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/base/config/config";
import { call, logIn, newAddress, newEmail, PASSWORD, signUp, signUpVerified } from "../support/client";
import { mailsTo, mailTo } from "../support/mailbox";
import { callUnder } from "../support/overrides";

const SITE_KEY = "1x00000000000000000000AA";
/** The secret keys that Cloudflare documents for tests. */
const PASSES = "1x0000000000000000000000000000000AA";
const FAILS = "2x0000000000000000000000000000000AA";
const SPENT = "3x0000000000000000000000000000000AA";
/** As good as a real one to the Turnstile of test/support/receiver-worker.mjs: the token says what it answers. */
const REAL = "0x4AAAAAAAnone";
const DUMMY_TOKEN = "XXXX.DUMMY.TOKEN.XXXX";

const withSecret = (secret: string, more: Record<string, string> = {}) => ({
  TURNSTILE_SITE_KEY: SITE_KEY,
  TURNSTILE_SECRET: secret,
  ...more,
});

/** A token that is good once, for an action on a page of a host. */
const tokenOf = (action: string, hostname = "localhost") => `${hostname} ${action} ${crypto.randomUUID()}`;

const ACTIONS = {
  register: () => ({ email: newEmail(), password: PASSWORD }),
  "forgot-password": () => ({ email: newEmail() }),
  code: () => ({ email: newEmail() }),
} as const;

type Action = keyof typeof ACTIONS;

const ask = (action: Action, captchaToken: unknown, settings = withSecret(REAL), body: object = ACTIONS[action]()) =>
  callUnder(settings, { path: `/api/v1/auth/${action}`, body: { ...body, captchaToken }, ip: newAddress() });

const refusal = (answer: { status: number; body: { code?: string } }) => [answer.status, answer.body.code];
const REQUIRED = [403, "CAPTCHA_REQUIRED"];
const UNAVAILABLE = [503, "SERVICE_UNAVAILABLE"];

/** How often Turnstile was asked about a token. */
async function requestsOf(token: string): Promise<number> {
  const found = (await (await env.RECEIVER.fetch(`http://captcha/${encodeURIComponent(token)}`)).json()) as {
    requests: number;
  } | null;
  return found?.requests ?? 0;
}

describe.each(Object.keys(ACTIONS) as Action[])("%s", (action) => {
  test("needs a good token, which works once and for nothing else", async () => {
    const token = tokenOf(action);
    expect(refusal(await ask(action, undefined))).toEqual(REQUIRED);
    expect(refusal(await ask(action, "bad"))).toEqual(REQUIRED);
    expect(refusal(await ask(action, tokenOf("login")))).toEqual(REQUIRED);
    expect(refusal(await ask(action, tokenOf(action, "evil.example")))).toEqual(REQUIRED);
    expect((await ask(action, token)).status).toBe(action === "register" ? 201 : 200);
    expect(refusal(await ask(action, token))).toEqual(REQUIRED);
    expect(refusal(await ask(action, "x".repeat(2049)))).toEqual([400, "VALIDATION_FAILED"]);
    expect(refusal(await ask(action, 1))).toEqual([400, "VALIDATION_FAILED"]);
  });

  test("answers as ever where Turnstile is not set up, and asks it nothing", async () => {
    const token = tokenOf(action);
    const body = { ...ACTIONS[action](), captchaToken: token };
    const answer = await call("POST", `/auth/${action}`, { body, headers: { "cf-connecting-ip": newAddress() } });
    expect([answer.status, await requestsOf(token)]).toEqual([action === "register" ? 201 : 200, 0]);
  });
});

test("a refused registration makes no account, and a refused request sends no mail", async () => {
  const email = newEmail();
  expect(refusal(await ask("register", "bad", undefined, { email, password: PASSWORD }))).toEqual(REQUIRED);
  const { email: known } = await signUpVerified();
  expect(refusal(await ask("forgot-password", "bad", undefined, { email: known }))).toEqual(REQUIRED);
  expect(refusal(await ask("code", "bad", undefined, { email: known }))).toEqual(REQUIRED);
  expect((await ask("register", tokenOf("register"), undefined, { email, password: PASSWORD })).status).toBe(201);
  await mailTo(email, /Verify/);
  // The mail of the registration may have been under way when the address was verified.
  expect(mailsTo(known).filter(({ subject }) => !/Verify/.test(subject))).toEqual([]);
});

test("a token of a page at an origin of CORS_ORIGINS, or at the host of the request, counts", async () => {
  const settings = withSecret(REAL, { CORS_ORIGINS: "https://app.example.org" });
  expect((await ask("code", tokenOf("code", "app.example.org"), settings)).status).toBe(200);
  expect((await ask("code", tokenOf("code", "postern.test"), settings)).status).toBe(200);
  expect(refusal(await ask("code", tokenOf("code", "example.org"), settings))).toEqual(REQUIRED);
});

describe("the documented test keys", () => {
  test("pass, fail, or find every token spent", async () => {
    expect((await ask("code", DUMMY_TOKEN, withSecret(PASSES))).status).toBe(200);
    expect(refusal(await ask("code", DUMMY_TOKEN, withSecret(FAILS)))).toEqual(REQUIRED);
    expect(refusal(await ask("code", DUMMY_TOKEN, withSecret(SPENT)))).toEqual(REQUIRED);
  });

  test("let nobody pass unless the service runs for development", async () => {
    const settings = withSecret(PASSES, { APP_URL: "https://postern.example.com/console" });
    expect(refusal(await ask("code", DUMMY_TOKEN, settings))).toEqual(UNAVAILABLE);
  });
});

describe("without a verdict", () => {
  test.each(["hang", "down", "html", "huge", "secret"])("nobody passes: %s", async (fault) => {
    const token = `${fault} ${crypto.randomUUID()}`;
    const answer = await ask("code", token);
    expect([...refusal(answer), answer.headers.get("retry-after")]).toEqual([...UNAVAILABLE, "5"]);
    expect(await requestsOf(token)).toBe(fault === "hang" || fault === "secret" ? 1 : 2);
  });

  test("in the first answer, the second request with the same idempotency key gets it", async () => {
    const token = `lost ${tokenOf("code")}`;
    expect([(await ask("code", token)).status, await requestsOf(token)]).toEqual([200, 2]);
    expect(refusal(await ask("code", token))).toEqual(REQUIRED);
  });
});

describe("login", () => {
  const login = (email: string, password: string, captchaToken?: string) =>
    callUnder(withSecret(REAL), {
      path: "/api/v1/auth/login",
      body: { email, password, captchaToken },
      ip: newAddress(),
    });

  test.each(["known", "unknown"])(
    "needs a token after three wrong guesses, until a right one: %s address",
    async (kind) => {
      const email = kind === "known" ? (await signUpVerified()).email : newEmail();
      for (let guess = 0; guess < 3; guess += 1) {
        expect(refusal(await login(email, "wrong"))).toEqual([401, "UNAUTHENTICATED"]);
      }
      expect(refusal(await login(email, PASSWORD))).toEqual(REQUIRED);
      expect(refusal(await login(email, PASSWORD, tokenOf("register")))).toEqual(REQUIRED);
      expect(refusal(await login(email, "wrong", tokenOf("login")))).toEqual([401, "UNAUTHENTICATED"]);
      if (kind === "unknown") return;
      expect((await login(email, PASSWORD, tokenOf("login"))).status).toBe(200);
      expect((await login(email, PASSWORD)).status).toBe(200);
    },
  );

  test("needs none before, and a token in it is not spent", async () => {
    const { email } = await signUpVerified();
    const token = tokenOf("login");
    expect((await login(email, PASSWORD, token)).status).toBe(200);
    expect(await requestsOf(token)).toBe(0);
  });

  test("needs one after a lock too", async () => {
    const person = await signUp();
    await Promise.all(
      Array.from({ length: 10 }, () => call("POST", "/auth/login", { body: { email: person.email, password: "x" } })),
    );
    expect(refusal(await login(person.email, PASSWORD))).toEqual(REQUIRED);
    expect(refusal(await login(person.email, PASSWORD, tokenOf("login")))).toEqual([423, "ACCOUNT_LOCKED"]);
    await expect(logIn(person)).rejects.toThrow(/423/);
  });
});

test("an API key publishes without a token", async () => {
  const { token } = await signUpVerified();
  const { key } = (await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["event.publish"] } })).body
    .data;
  const request = { path: "/api/v1/events", token: key, body: { type: "OrderPaid", payload: 1 } };
  expect((await callUnder(withSecret(REAL), request)).status).toBe(202);
});

test("one key without the other turns the widget off and says why", () => {
  const refused = ["TURNSTILE_SITE_KEY and TURNSTILE_SECRET must both be set, or neither"];
  for (const half of [{ TURNSTILE_SITE_KEY: SITE_KEY }, { TURNSTILE_SECRET: PASSES }]) {
    expect(parseConfig({ ...env, ...half })).toMatchObject({ refused, turnstile: null });
  }
  expect(parseConfig({ ...env }).turnstile).toBeNull();
  expect(parseConfig({ ...env, ...withSecret(PASSES) }).turnstile).toEqual({ siteKey: SITE_KEY, secret: PASSES });
});
