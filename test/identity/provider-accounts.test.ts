/** Whose account a sign-in with a provider opens: linking, new accounts, and accounts without a password. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, logIn, newEmail, PASSWORD, signUp, signUpVerified, verify } from "../support/client";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";
import {
  claimsOf,
  comeBack,
  depart,
  exchange,
  newBrowser,
  newPersonAtProvider,
  signInAs,
  trip,
} from "../support/oauth";
import { joinTenant } from "../support/people";
import { codeOf, enrol } from "../support/two-factor";

afterEach(() => void vi.useRealTimers());

const me = async (token: string) => (await call("GET", "/auth/me", { token })).body.data;
const actionsOf = async (token: string) =>
  ((await call("GET", "/auth/me/activity", { token })).body.data as { action: string; meta: unknown }[]).map(
    ({ action, meta }) => ({ action, meta }),
  );
/** A browser of a service that links accounts by address without asking. */
const linking = (variables: Record<string, unknown> = {}) => newBrowser({ LINK_BY_EMAIL: "always", ...variables });
const asNewPerson = (email: string, claims: Record<string, unknown> = {}) => newPersonAtProvider({ email, ...claims });

describe("a verified account with the address of the person", () => {
  test("is signed in to and linked, its older sessions end, and its owner is told", async () => {
    const owner = await signUpVerified();
    const person = asNewPerson(owner.email.toUpperCase());
    const { status, body } = await signInAs(linking(), person);
    expect(status).toBe(200);
    const { accessToken: token } = body.data;
    expect(await me(token)).toMatchObject({ id: owner.userId, tenant: { id: owner.tenantId } });
    expect((await call("GET", "/auth/me", { token: owner.token })).status).toBe(401);
    const refreshed = await call("POST", "/auth/refresh", { body: { refreshToken: owner.refreshToken } });
    expect(refreshed.status).toBe(401);
    const [identity, ...others] = (await call("GET", "/auth/identities", { token })).body.data;
    expect([identity, others]).toMatchObject([
      { provider: "oidc", issuer: "https://id.issuer.example", email: owner.email },
      [],
    ]);
    expect((await actionsOf(token)).slice(0, 2)).toEqual([
      { action: "auth.login", meta: { method: "provider", provider: "oidc", factor: null } },
      { action: "auth.identity_linked", meta: { provider: "oidc" } },
    ]);
    await mailTo(owner.email, /sign in with id\.issuer\.example/);
    expect((await logIn(owner)).token).toMatch(/./);
  });

  test("is found by issuer and subject from then on, whatever address the provider gives", async () => {
    const [owner, other] = [await signUpVerified(), await signUpVerified()];
    const person = asNewPerson(owner.email);
    expect((await signInAs(linking(), person)).status).toBe(200);
    for (const email of [other.email, newEmail(), "no address"]) {
      const { body } = await signInAs(linking(), { ...person, email, email_verified: false });
      expect((await me(body.data.accessToken)).id).toBe(owner.userId);
    }
    const elsewhere = linking({ OIDC_ISSUER: "https://second.issuer.example" });
    const { body } = await signInAs(elsewhere, { ...person, email: other.email });
    expect((await me(body.data.accessToken)).id).toBe(other.userId);
  });

  test.each([
    ["the provider has not verified it", true, { email_verified: false }],
    ["the provider does not say", true, { email_verified: undefined }],
    ["it is not verified here", false, {}],
  ])("is not linked without mailed codes if %s", async (_, isVerified, claims) => {
    const owner = isVerified ? await signUpVerified() : await signUp();
    const { status, body } = await signInAs(linking({ MAIL_CODE: "off" }), asNewPerson(owner.email, claims));
    expect([status, body.code]).toEqual([409, "CONFLICT"]);
    expect(body.message).toMatch(/Sign in to it in another way first, and then link id\.issuer\.example/);
    expect((await call("GET", "/auth/me", { token: owner.token })).status).toBe(200);
    expect((await call("GET", "/auth/identities", { token: owner.token })).body.data).toEqual([]);
  });

  test("still asks for its second factor, for which the code waits five minutes, and is linked with it only", async () => {
    const owner = await signUpVerified();
    const secret = await enrol(owner);
    const browser = linking();
    const code = await trip(browser, asNewPerson(owner.email));
    expect((await exchange(browser, code)).body.code).toBe("TOTP_REQUIRED");
    expect((await exchange(browser, code, { totp: "000000" })).body.code).toBe("INVALID_TOTP");
    expect((await call("GET", "/auth/identities", { token: owner.token })).body.data).toEqual([]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 4 * 60_000 });
    const { status, body } = await exchange(browser, code, { totp: codeOf(secret) });
    expect(status).toBe(200);
    expect((await actionsOf(body.data.accessToken))[0]?.meta).toMatchObject({ factor: "totp" });
    const late = linking();
    const second = await trip(late, asNewPerson(owner.email));
    expect((await exchange(late, second)).body.code).toBe("TOTP_REQUIRED");
    vi.setSystemTime(Date.now() + 5 * 60_000);
    expect((await exchange(late, second, { totp: codeOf(secret) })).body.code).toBe("INVALID_TOKEN");
  });

  test("opens the tenant that was asked for, if the user is a member of it", async () => {
    const [host, stranger] = [await signUpVerified(), await signUpVerified()];
    const guest = await joinTenant(host, "viewer");
    await verify(guest.email);
    const person = asNewPerson(guest.email);
    expect((await signInAs(linking(), person)).status).toBe(200);
    const { body } = await signInAs(linking(), person, { tenantId: host.tenantId });
    expect((await me(body.data.accessToken)).tenant.id).toBe(host.tenantId);
    expect((await signInAs(linking(), person, { tenantId: stranger.tenantId })).status).toBe(404);
  });
});

describe("a new account", () => {
  test("without mailed codes gets a mail and no session until its unverified address is verified", async () => {
    const person = newPersonAtProvider({ email_verified: false });
    const withoutCodes = () => newBrowser({ MAIL_CODE: "off" });
    expect((await signInAs(withoutCodes(), person)).body.code).toBe("EMAIL_NOT_VERIFIED");
    await call("POST", "/auth/verify-email", { body: { token: tokenIn(await mailTo(person.email, /Verify/)) } });
    expect((await signInAs(withoutCodes(), person)).body.code).toBe("CONFLICT");
    const optional = newBrowser({ EMAIL_VERIFICATION: "optional" });
    expect((await signInAs(optional, newPersonAtProvider({ email_verified: false }))).status).toBe(200);
  });

  test("is recorded, has a tenant, and its first sign-in is no news", async () => {
    const person = newPersonAtProvider();
    const { body } = await signInAs(newBrowser(), person);
    const { data } = await call("GET", "/audit", { token: body.data.accessToken }).then((answer) => answer.body);
    expect(data.map(({ action }: { action: string }) => action)).toEqual(["auth.login", "auth.registered"]);
    expect(mailsTo(person.email)).toEqual([]);
  });

  test.each([
    ["invite", 403],
    ["domains:example.org", 403],
    ["domains:example.com", 200],
  ])("under REGISTRATION %s answers %i, and an account that is there signs in", async (REGISTRATION, expected) => {
    const browser = linking({ REGISTRATION });
    expect((await signInAs(browser, newPersonAtProvider())).status).toBe(expected);
    const owner = await signUpVerified();
    expect((await signInAs(browser, asNewPerson(owner.email))).status).toBe(200);
  });

  test("needs an address", async () => {
    const browser = newBrowser();
    const asked = async (email: unknown) => {
      const { status, body } = await signInAs(browser, newPersonAtProvider({ email }));
      return [status, body.message];
    };
    for (const email of ["no address", `${"x".repeat(65)}@example.com`]) {
      expect(await asked(email)).toEqual([403, "id.issuer.example gave an address that no account can have."]);
    }
    expect(await asked(5)).toEqual([403, "id.issuer.example gave no email address."]);
  });
});

describe("the fixed providers", () => {
  const tripTo = async (provider: string, script: (departure: Awaited<ReturnType<typeof depart>>) => object) => {
    const browser = linking();
    const departure = await depart(browser, provider);
    const back = await comeBack(browser, provider, departure, script(departure));
    const error = back.searchParams.get("error");
    return error ?? exchange(browser, back.searchParams.get("code") ?? "");
  };

  test("Google signs in by its ID token", async () => {
    const { url } = await depart(newBrowser(), "google");
    expect(url.href).toMatch(/^https:\/\/accounts\.google\.com\/o\/oauth2\/v2\/auth\?client_id=an-id&/);
    const person = newPersonAtProvider();
    const unvouched = await tripTo("google", (to) => ({ claims: claimsOf(to, newPersonAtProvider()) }));
    expect(unvouched).toMatchObject({ status: 403, body: { code: "EMAIL_NOT_VERIFIED" } });
    const claimed = { ...person, hd: "example.com" };
    expect(await tripTo("google", (to) => ({ claims: claimsOf(to, claimed) }))).toMatchObject({ status: 200 });
    const wrong = (to: Parameters<typeof claimsOf>[0]) => ({
      claims: claimsOf(to, { ...person, iss: "https://id.issuer.example" }),
    });
    expect(await tripTo("google", wrong)).toBe("invalid_response");
  });

  const tid = "9188040d-6c67-4c5b-b112-36a304b66dad";
  const microsoft = (claims: object) => (to: Parameters<typeof claimsOf>[0]) => ({
    claims: claimsOf(to, { iss: `https://login.microsoftonline.com/${tid}/v2.0`, tid, ...claims }),
  });

  test("Microsoft's address counts only if the tenant owns its domain, and its issuer is the tenant's", async () => {
    const owner = await signUpVerified();
    const { email_verified: _, ...person } = asNewPerson(owner.email);
    for (const claims of [{}, { email_verified: true }, { xms_edov: false }, { xms_edov: "0" }]) {
      expect(await tripTo("microsoft", microsoft({ ...person, ...claims }))).toMatchObject({
        status: 403,
        body: { details: [{ path: "next", message: "email-code" }, { path: "mailCode.state" }] },
      });
    }
    expect(await tripTo("microsoft", microsoft({ ...person, xms_edov: true }))).toMatchObject({ status: 200 });
    for (const claims of [
      { tid: "common" },
      { tid: undefined },
      { tid: "00000000-0000-4000-8000-000000000000" },
      { iss: "https://evil.example" },
    ]) {
      expect(await tripTo("microsoft", microsoft({ ...person, xms_edov: true, ...claims }))).toBe("invalid_response");
    }
    expect(
      await tripTo("microsoft", (to) => ({ ...microsoft({ ...person, xms_edov: true })(to), signedBy: "foreign" })),
    ).toBe("invalid_response");
  });

  test("GitHub's primary address counts if GitHub has verified it", async () => {
    const owner = await signUpVerified();
    const user = { id: 583_231 + Math.floor(Math.random() * 1e9), name: "The Octocat", login: "octocat" };
    const emails = (primary: boolean, verified: boolean) => [
      { email: newEmail(), primary: !primary, verified: true },
      { email: owner.email, primary, verified },
    ];
    expect((await depart(newBrowser(), "github")).url.searchParams.get("scope")).toBe("user:email");
    const unverified = await tripTo("github", () => ({ user, emails: emails(true, false) }));
    expect(unverified).toMatchObject({ status: 403, body: { message: "GitHub gave no email address." } });
    const opened = await tripTo("github", () => ({ user, emails: emails(true, true) }));
    expect(opened).toMatchObject({ status: 200 });
    if (typeof opened === "string") throw new Error(opened);
    const [identity] = (await call("GET", "/auth/identities", { token: opened.body.data.accessToken })).body.data;
    expect(identity).toMatchObject({
      provider: "github",
      issuer: "https://github.com/login/oauth",
      email: owner.email,
    });
    for (const script of [
      { user: {}, emails: [] },
      { user, emails: {} },
      { user, emails: [{}] },
      { user: { ...user, id: "1" }, emails: [] },
    ]) {
      expect(await tripTo("github", () => script)).toBe("invalid_response");
    }
  });
});

describe("an account without a password", () => {
  test("has no password that is right, and gets one by the reset mail", async () => {
    const person = newPersonAtProvider();
    const { body } = await signInAs(newBrowser(), person);
    const { accessToken: token } = body.data;
    for (const password of [PASSWORD, " ", "        "]) {
      expect((await call("POST", "/auth/login", { body: { email: person.email, password } })).status).toBe(401);
      const change = { currentPassword: password, newPassword: "another pass phrase" };
      expect((await call("POST", "/auth/change-password", { token, body: change })).body.code).toBe("WRONG_PASSWORD");
      expect((await call("POST", "/auth/step-up", { token, body: { password } })).body.code).toBe("WRONG_PASSWORD");
    }
    await call("POST", "/auth/forgot-password", { body: { email: person.email } });
    const reset = { token: tokenIn(await mailTo(person.email, /Reset/)), newPassword: PASSWORD };
    expect((await call("POST", "/auth/reset-password", { body: reset })).status).toBe(200);
    expect((await call("POST", "/auth/login", { body: { email: person.email, password: PASSWORD } })).status).toBe(200);
    expect((await signInAs(newBrowser(), person)).status).toBe(200);
  });

  test("is deleted by a recent sign-in, and the person can begin again at once", async () => {
    const person = newPersonAtProvider();
    const { body } = await signInAs(newBrowser(), person);
    const { accessToken: token } = body.data;
    const { id } = await me(token);
    await env.DB.prepare("UPDATE sessions SET created_at = created_at - 600000 WHERE user_id = ?").bind(id).run();
    const remove = (bearer: string) => call("DELETE", "/auth/me", { token: bearer, body: { deleteTenants: true } });
    expect((await remove(token)).body.code).toBe("STEP_UP_REQUIRED");
    const again = (await signInAs(newBrowser(), person)).body.data.accessToken;
    expect((await remove(again)).status).toBe(200);
    expect((await call("GET", "/auth/me", { token: again })).status).toBe(401);
    const anew = await signInAs(newBrowser(), person);
    expect((await me(anew.body.data.accessToken)).id).not.toBe(id);
    const withPassword = await signUpVerified();
    expect((await remove(withPassword.token)).body.details).toEqual([
      { path: "password", message: "Give your password" },
    ]);
  });
});

test("a squatter's identity goes when the owner of the address sets a password", async () => {
  const thief = newPersonAtProvider({ email_verified: false });
  const withoutCodes = newBrowser({ MAIL_CODE: "off" });
  expect((await signInAs(withoutCodes, thief)).body.code).toBe("EMAIL_NOT_VERIFIED");
  await call("POST", "/auth/forgot-password", { body: { email: thief.email } });
  const token = tokenIn(await mailTo(thief.email, /Reset/));
  const newPassword = "the owner's own password";
  expect((await call("POST", "/auth/reset-password", { body: { token, newPassword } })).status).toBe(200);
  expect((await mailTo(thief.email, /changed/)).text).toMatch(/1 sign-in provider/);
  expect((await signInAs(withoutCodes, thief)).body.code).toBe("CONFLICT");
});
