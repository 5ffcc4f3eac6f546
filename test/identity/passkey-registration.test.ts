/** Registration with a passkey in place of a password, and services without passwords. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { make, type SoftPasskey } from "../support/authenticator";
import { call, newAddress, newEmail, PASSWORD, signUpVerified } from "../support/client";
import { mailTo, tokenIn } from "../support/mailbox";
import { newBrowser } from "../support/oauth";
import { callUnder } from "../support/overrides";
import { addPasskey, INVALID, loginWith, registerWithPasskey, said, stepUpBody } from "../support/passkeys";

const PATH = "/auth/register/passkey";
const FROM = () => ({ headers: { "cf-connecting-ip": newAddress() } });

const optionsFor = (body: object) => call("POST", `${PATH}/options`, { body, ...FROM() });

const countUsers = (email: string) =>
  env.DB.prepare("SELECT count(*) AS n FROM users WHERE email = ?").bind(email).first<number>("n");

describe("a registration with a passkey", () => {
  test("opens a session of a new account in its tenant, and the passkey signs in once the address is verified", async () => {
    const email = newEmail();
    const { passkey, answer } = await registerWithPasskey({ email, name: "Ada", tenantName: "Engines" });
    expect(answer.status).toBe(201);
    const token = answer.body.data.accessToken as string;
    const me = (await call("GET", "/auth/me", { token })).body.data;
    expect(me).toMatchObject({ email, name: "Ada", emailVerified: false, tenant: { name: "Engines" }, role: "owner" });
    expect((await call("GET", "/auth/passkeys", { token })).body.data).toMatchObject([
      { id: passkey.id, name: "Ada's phone" },
    ]);
    expect((await loginWith(passkey)).body.code).toBe("EMAIL_NOT_VERIFIED");
    const link = { token: tokenIn(await mailTo(email, /Verify/)) };
    expect((await call("POST", "/auth/verify-email", { body: link, token })).status).toBe(200);
    expect((await loginWith(passkey)).status).toBe(200);
    const password = await call("POST", "/auth/login", { body: { email, password: PASSWORD }, ...FROM() });
    expect(said(password).slice(0, 2)).toEqual([401, "UNAUTHENTICATED"]);
    const removed = await call("DELETE", `/auth/passkeys/${passkey.id}`, { token });
    expect(said(removed).slice(0, 2)).toEqual([409, "CONFLICT"]);
  });

  test("stores nothing before the authenticator answers, and does not tell whether an address is taken", async () => {
    const email = newEmail();
    const taken = await signUpVerified();
    const [free, other] = [await optionsFor({ email }), await optionsFor({ email: taken.email })];
    expect([free.status, other.status, Object.keys(free.body.data)]).toEqual([200, 200, Object.keys(other.body.data)]);
    expect(await countUsers(email)).toBe(0);
    const { response } = await make(other.body.data);
    const late = { state: other.body.data.state, response, name: "phone" };
    expect(said(await call("POST", PATH, { body: late, ...FROM() })).slice(0, 2)).toEqual([409, "EMAIL_TAKEN"]);
    expect(await countUsers(taken.email)).toBe(1);
  });

  test("of 20 at once with the same options, exactly one creates the account", async () => {
    const email = newEmail();
    const { data } = (await optionsFor({ email })).body;
    const { response } = await make(data);
    const body = { state: data.state, response, name: "phone" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => call("POST", PATH, { body, ...FROM() })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body: { code } }) => code === "EMAIL_TAKEN")).toHaveLength(19);
    expect(await countUsers(email)).toBe(1);
  });

  test("does not take options of another purpose, a state of somebody else, or a passkey that exists", async () => {
    const person = await signUpVerified();
    const own = (await call("POST", "/auth/passkeys/options", { token: person.token })).body.data;
    const { response } = await make(own);
    const send = (body: object) => call("POST", PATH, { body: { name: "phone", ...body }, ...FROM() });
    expect(said(await send({ state: own.state, response })).slice(0, 2)).toEqual([400, "VALIDATION_FAILED"]);
    const [first, second] = [
      (await optionsFor({ email: newEmail() })).body.data,
      (await optionsFor({ email: newEmail() })).body.data,
    ];
    const made = await make(first);
    expect(said(await send({ state: second.state, response: made.response })).slice(0, 2)).toEqual([
      400,
      "VALIDATION_FAILED",
    ]);
    // And the options of a registration add no passkey to a session.
    const add = { state: first.state, response: made.response, name: "phone" };
    const added = await call("POST", "/auth/passkeys", { token: person.token, body: add });
    expect(said(added).slice(0, 2)).toEqual([400, "VALIDATION_FAILED"]);
    await env.DB.prepare(
      `INSERT INTO passkeys (id, user_id, public_key, counter, transports, backed_up, aaguid, name, created_at)
       VALUES (?, ?, '{}', 0, '[]', 0, '', 'n', 1)`,
    )
      .bind(made.passkey.id, person.userId)
      .run();
    expect(said(await send({ state: first.state, response: made.response })).slice(0, 2)).toEqual([
      400,
      "VALIDATION_FAILED",
    ]);
  });

  test("asks for the token of Turnstile where it is set up, and before it gives options", async () => {
    const turnstile = { TURNSTILE_SITE_KEY: "1x00000000000000000000AA", TURNSTILE_SECRET: `1x${"0".repeat(31)}AA` };
    const refused = await callUnder(turnstile, { path: `/api/v1${PATH}/options`, body: { email: newEmail() } });
    expect(said(refused).slice(0, 2)).toEqual([403, "CAPTCHA_REQUIRED"]);
  });

  test("refuses bad input with 400", async () => {
    for (const body of [{}, { email: "no address" }, { email: newEmail(), tenantName: "http://evil.example" }]) {
      expect((await optionsFor(body)).body.code).toBe("VALIDATION_FAILED");
    }
    const { data } = (await optionsFor({ email: newEmail() })).body;
    const { response } = await make(data);
    for (const body of [
      {},
      { state: "x", response, name: "phone" },
      { state: data.state, response, name: "" },
      { state: data.state, response: { ...response, id: "AAAA" }, name: "phone" },
    ]) {
      expect((await call("POST", PATH, { body, ...FROM() })).body.code).toBe("VALIDATION_FAILED");
    }
  });

  test("loses the passkey when its link is followed without a session, which the mail says", async () => {
    const email = newEmail();
    const { passkey } = await registerWithPasskey({ email });
    const mail = await mailTo(email, /Verify/);
    expect(mail.text).toContain("with a passkey");
    expect(mail.text).toContain("In another browser, the passkey is removed");
    expect((await call("POST", "/auth/verify-email", { body: { token: tokenIn(mail) } })).status).toBe(200);
    expect(said(await loginWith(passkey))).toEqual(INVALID);
  });

  test("keeps the passkey where mails open no account", async () => {
    const email = newEmail();
    const { passkey } = await registerWithPasskey({ email });
    const token = tokenIn(await mailTo(email, /Verify/));
    const closed = { PASSWORDS: "off", MAIL_CODE: "off" };
    expect((await callUnder(closed, { path: "/api/v1/auth/verify-email", body: { token } })).status).toBe(200);
    expect((await loginWith(passkey)).status).toBe(200);
  });

  test("gives the owner of the address the account, if somebody else has registered it", async () => {
    const email = newEmail();
    const { passkey } = await registerWithPasskey({ email });
    const { state } = (await call("POST", "/auth/code", { body: { email }, ...FROM() })).body.data;
    const mail = await mailTo(email, /code/i);
    const code = mail.text.match(/\b\d{6}\b/)?.[0];
    const taken = await call("POST", "/auth/code/verify", { body: { state, code }, ...FROM() });
    expect(taken.status).toBe(200);
    expect(said(await loginWith(passkey))).toEqual(INVALID);
  });
});

describe("PASSWORDS=off", () => {
  const OFF = { PASSWORDS: "off" };
  const REFUSED = [403, "FORBIDDEN", "Passwords are off."];
  const under = async (path: string, body: object, token?: string) =>
    said(await callUnder(OFF, { path: `/api/v1${path}`, body, ...(token ? { token } : {}), ip: newAddress() }));

  test("refuses whatever takes a password, whoever asks", async () => {
    const person = await signUpVerified();
    const { email, token } = person;
    for (const address of [email, newEmail()]) {
      expect(await under("/auth/login", { email: address, password: PASSWORD })).toEqual(REFUSED);
      expect(await under("/auth/register", { email: address, password: PASSWORD })).toEqual(REFUSED);
      expect(await under("/auth/forgot-password", { email: address })).toEqual(REFUSED);
    }
    expect(await under("/auth/reset-password", { token: "x", newPassword: "a long new password" })).toEqual(REFUSED);
    const change = { currentPassword: PASSWORD, newPassword: "a long new password" };
    expect(await under("/auth/change-password", change, token)).toEqual(REFUSED);
    expect(await under("/auth/step-up", { password: PASSWORD }, token)).toEqual(REFUSED);
  });

  test("registers and signs in with passkeys, and does not let the last one go", async () => {
    const person = await signUpVerified();
    const passkey: SoftPasskey = await addPasskey(person);
    expect((await under("/auth/step-up", await stepUpBody(person, passkey), person.token))[0]).toBe(200);
    const last = await callUnder(OFF, {
      method: "DELETE",
      path: `/api/v1/auth/passkeys/${passkey.id}`,
      token: person.token,
    });
    expect(said(last).slice(0, 2)).toEqual([409, "CONFLICT"]);
    const options = await callUnder(OFF, { path: `/api/v1${PATH}/options`, body: { email: newEmail() } });
    const { response } = await make(options.body.data);
    const body = { state: options.body.data.state, response, name: "phone" };
    expect((await callUnder(OFF, { path: `/api/v1${PATH}`, body })).status).toBe(201);
  });

  test("the pages of the console show no field for a password", async () => {
    for (const path of ["/console/sign-in", "/console/register"]) {
      const shown = await newBrowser(OFF).send("GET", path);
      expect([path, shown.status, String(shown.body).includes('type="password"')]).toEqual([path, 200, false]);
    }
    for (const path of ["/console/forgot-password", "/console/reset-password?token=x"]) {
      expect((await newBrowser(OFF).send("GET", path)).status).toBe(404);
    }
  });
});
