/** An address that the provider does not vouch for is proven by a mailed code, in the same browser. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, eventually, PASSWORD, signUp, signUpVerified } from "../support/client";
import { mailsTo, mailTo } from "../support/mailbox";
import { type Browser, exchange, newBrowser, newPersonAtProvider, signInAs, trip } from "../support/oauth";

afterEach(() => void vi.useRealTimers());

const unproven = (claims: Record<string, unknown> = {}) =>
  newPersonAtProvider({ email_verified: undefined, xms_edov: false, ...claims });
const profileOf = async (token: string) => (await call("GET", "/auth/me", { token })).body.data;
const codeIn = ({ text }: { text: string }) => /code is (\d{6})/.exec(text)?.[1] ?? "";
const identitiesOf = async (token: string) => (await call("GET", "/auth/identities", { token })).body.data;

/** Goes to the provider and back, and asks for the code. */
async function asked(browser: Browser, person: Record<string, unknown>) {
  const code = await trip(browser, person);
  const { status, body } = await exchange(browser, code);
  expect([status, body.code, body.details]).toEqual([
    403,
    "EMAIL_NOT_VERIFIED",
    [
      { path: "next", message: "email-code" },
      { path: "mailCode.state", message: expect.any(String) },
    ],
  ]);
  const typed = codeIn(await mailTo(String(person.email), /sign-in code/));
  return { code, mailCode: { state: body.details[1].message as string, code: typed } };
}

test("a new person gets an account with a verified address, keeps the identity, and needs no code again", async () => {
  const [browser, person] = [newBrowser(), unproven()];
  const { code, mailCode } = await asked(browser, person);
  expect((await exchange(browser, code, { mailCode: { ...mailCode, code: "000000" } })).body.code).toBe("INVALID_CODE");
  const { status, body } = await exchange(browser, code, { mailCode });
  expect(status).toBe(200);
  expect(await profileOf(body.data.accessToken)).toMatchObject({ email: person.email, emailVerified: true });
  expect(await identitiesOf(body.data.accessToken)).toHaveLength(1);
  expect((await signInAs(newBrowser(), person)).status).toBe(200);
});

test("nothing is written before the code, and mails stop at the limit of an address", async () => {
  const [browser, person] = [newBrowser(), unproven()];
  const code = await trip(browser, person);
  for (let sent = 0; sent < 5; sent += 1) expect((await exchange(browser, code)).status).toBe(403);
  await eventually("three mails", async () => mailsTo(person.email).length >= 3);
  const count = await env.DB.prepare("SELECT count(*) AS n FROM users WHERE email = ?").bind(person.email).first("n");
  expect([count, mailsTo(person.email).length]).toEqual([0, 3]);
});

test("the code is worth nothing in another browser, for another address, or a second time", async () => {
  const [browser, person] = [newBrowser(), unproven()];
  const { code, mailCode } = await asked(browser, person);
  expect((await exchange(newBrowser(), code, { mailCode })).body.code).toBe("INVALID_TOKEN");
  const other = await asked(browser, unproven());
  const mixed = await exchange(browser, other.code, { mailCode });
  expect(mixed.body.code).toBe("INVALID_CODE");
  const again = newBrowser();
  const second = await trip(again, person);
  const results = await Promise.all(
    Array.from({ length: 10 }, () => {
      const copy = newBrowser();
      for (const [name, value] of again.jar) copy.jar.set(name, value);
      return exchange(copy, second, { mailCode });
    }),
  );
  expect(results.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(results.filter(({ status }) => status >= 500)).toEqual([]);
});

describe("an account that has the address", () => {
  test("is linked by the code if its address is verified", async () => {
    const owner = await signUpVerified();
    const [browser, person] = [newBrowser(), unproven({ email: owner.email })];
    const { code, mailCode } = await asked(browser, person);
    const { body } = await exchange(browser, code, { mailCode });
    expect((await profileOf(body.data.accessToken)).id).toBe(owner.userId);
    expect((await call("GET", "/auth/me", { token: owner.token })).status).toBe(401);
  });

  test("loses all that was set up before if its address is not verified", async () => {
    const squatter = await signUp();
    const [browser, person] = [newBrowser(), unproven({ email: squatter.email })];
    const { code, mailCode } = await asked(browser, person);
    const { body } = await exchange(browser, code, { mailCode });
    expect(await profileOf(body.data.accessToken)).toMatchObject({ id: squatter.userId, emailVerified: true });
    expect(await identitiesOf(body.data.accessToken)).toHaveLength(1);
    const login = { email: squatter.email, password: PASSWORD };
    expect((await call("POST", "/auth/login", { body: login })).status).toBe(401);
    expect((await call("POST", "/auth/refresh", { body: { refreshToken: squatter.refreshToken } })).status).toBe(401);
  });

  test("is not opened by a code under LINK_BY_EMAIL never, nor if it is an operator's", async () => {
    const owner = await signUpVerified();
    const person = unproven({ email: owner.email });
    for (const variables of [{ LINK_BY_EMAIL: "never" }, { OPERATORS: owner.email }]) {
      expect((await signInAs(newBrowser(variables), person)).body.code).toBe("CONFLICT");
    }
  });
});

test("an identity whose account never verified its address is opened by the code too", async () => {
  const person = unproven();
  expect((await signInAs(newBrowser({ MAIL_CODE: "off" }), person)).body.code).toBe("EMAIL_NOT_VERIFIED");
  const browser = newBrowser();
  const { code, mailCode } = await asked(browser, person);
  const { status, body } = await exchange(browser, code, { mailCode });
  expect(status).toBe(200);
  expect(await identitiesOf(body.data.accessToken)).toHaveLength(1);
});

test("who may not register is not mailed", async () => {
  const person = unproven();
  expect((await signInAs(newBrowser({ REGISTRATION: "invite" }), person)).body.code).toBe("FORBIDDEN");
  expect(mailsTo(person.email)).toEqual([]);
});

test("every address of an issuer counts where the operator trusts it", async () => {
  const trusting = newBrowser({ OIDC_TRUST_EMAIL: "always" });
  const { status, body } = await signInAs(trusting, unproven());
  expect(status).toBe(200);
  expect((await profileOf(body.data.accessToken)).emailVerified).toBe(true);
});
