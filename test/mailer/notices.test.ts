/** Events that their account's owner hears of by mail. */
import { describe, expect, test } from "vitest";
import { call, logIn, newAddress, ownAddress, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { mailsTo, mailTo } from "../support/mailbox";
import { codeOf, enrol } from "../support/two-factor";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";
const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 " +
  "Mobile/15E148 Safari/604.1";

const login = ({ email }: Person, fields: Record<string, unknown> = {}) =>
  call("POST", "/auth/login", { body: { email, password: PASSWORD, ...fields } });

const noticesTo = (email: string, subject: RegExp) => mailsTo(email).filter((mail) => subject.test(mail.subject));

describe("the owner is told by mail of", () => {
  test("new recovery codes, and a used one with how many are left", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    const renewed = await call("POST", "/auth/2fa/recovery-codes", {
      token: person.token,
      body: { token: codeOf(secret) },
    });
    const [code = ""] = renewed.body.data.recoveryCodes;
    await mailTo(person.email, /new recovery codes/);
    expect((await login(person, { totp: code })).status).toBe(200);
    expect((await mailTo(person.email, /recovery code was used/)).text).toContain("9 codes are left");
  });

  test("ten wrong codes after the right password, once", async () => {
    const person = await signUpVerified();
    await enrol(person);
    const answers = await Promise.all(Array.from({ length: 15 }, () => login(person, { totp: "000000" })));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    await mailTo(person.email, /guessing your two-factor codes/);
    expect(noticesTo(person.email, /guessing/)).toHaveLength(1);
  });

  test("a refresh token used twice, once", async () => {
    const person = await logIn(await signUp());
    const refresh = (refreshToken: string) => call("POST", "/auth/refresh", { body: { refreshToken } });
    const second = (await refresh(person.refreshToken)).body.data.refreshToken;
    await refresh(second);
    for (let use = 0; use < 3; use++) expect((await refresh(person.refreshToken)).status).toBe(401);
    await mailTo(person.email, /session was ended/);
    expect(noticesTo(person.email, /session was ended/)).toHaveLength(1);
  });
});

describe("a refresh token used again within 10 seconds", () => {
  const refresh = (refreshToken: string, ip: string, userAgent: string) =>
    call("POST", "/auth/refresh", {
      body: { refreshToken },
      headers: { "cf-connecting-ip": ip, "user-agent": userAgent },
    });

  test.each([
    ["another address and another device ends the session", newAddress, SAFARI, 401],
    ["another address does not", newAddress, FIREFOX, 200],
    ["another device does not", () => ownAddress, SAFARI, 200],
  ])("from %s", async (_what, addressOf, userAgent, status) => {
    const person = await signUp({ headers: { "user-agent": FIREFOX } });
    const rotated = await refresh(person.refreshToken, ownAddress, FIREFOX);
    expect(rotated.status).toBe(200);
    const reused = await refresh(person.refreshToken, addressOf(), userAgent);
    expect([reused.status, reused.body.code]).toEqual([401, "REFRESH_TOKEN_REUSED"]);
    expect((await refresh(rotated.body.data.refreshToken, ownAddress, FIREFOX)).status).toBe(status);
  });

  test("a refresh updates the address and device of the session", async () => {
    const person = await signUp({ headers: { "user-agent": FIREFOX } });
    const { body } = await refresh(person.refreshToken, "203.0.113.9", SAFARI);
    const [session] = (await call("GET", "/auth/sessions", { token: body.data.accessToken })).body.data;
    expect(session).toMatchObject({ ipAddress: "203.0.113.9", operatingSystem: expect.stringContaining("iOS") });
  });
});

test("a login right after the registration sends no second verification mail", async () => {
  const person = await signUp();
  await mailTo(person.email, /Verify/);
  expect((await login(person)).body.code).toBe("EMAIL_NOT_VERIFIED");
  await call("POST", "/auth/forgot-password", { body: { email: person.email } });
  await mailTo(person.email, /Reset/);
  expect(noticesTo(person.email, /Verify/)).toHaveLength(1);
});
