/** What somebody who registers a foreign address can leave behind for its owner: nothing that opens the account. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, logIn, newAddress, type Person, signUp, signUpVerified } from "../support/client";
import { visit } from "../support/console";
import { mailTo, tokenIn } from "../support/mailbox";
import { exchange, newBrowser, newPersonAtProvider, signInAs, trip } from "../support/oauth";
import { loginWith, withPasskey } from "../support/passkeys";

const NEW_PASSWORD = "the owner's own password";

/** Sets a new password by mail. Returns the notice about it. */
async function reset(email: string, fields: Record<string, unknown> = {}) {
  const headers = { "cf-connecting-ip": newAddress() };
  await call("POST", "/auth/forgot-password", { body: { email }, headers });
  const token = tokenIn(await mailTo(email, /Reset your password/));
  const answer = await call("POST", "/auth/reset-password", {
    body: { token, newPassword: NEW_PASSWORD, ...fields },
    headers,
  });
  expect(answer.status).toBe(200);
  return mailTo(email, /Your password was changed/);
}

const keyOf = async ({ token }: Person) =>
  (await call("POST", "/api-keys", { token, body: { name: "CI", scopes: ["webhook.read"] } })).body.data.key as string;

const works = async (key: string) => (await call("GET", "/webhooks", { headers: { "x-api-key": key } })).status;

/** Moves the verification of an address to now, so that everything so far is older. */
const verifyAfterwards = ({ userId }: Person) =>
  env.DB.prepare("UPDATE users SET email_verified_at = ? WHERE id = ?")
    .bind(Date.now() + 1000, userId)
    .run();

describe("an unverified account", () => {
  test("adds no passkey and no identity", async () => {
    const squatter = await signUp();
    const refused = [
      await call("POST", "/auth/passkeys/options", { token: squatter.token }),
      await newBrowser().send("POST", "/api/v1/auth/identities/oidc", { token: squatter.token, body: {} }),
    ];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([403, "EMAIL_NOT_VERIFIED"]));
  });

  test("that a provider opened loses the provider when its link is followed without a session, and says so", async () => {
    const thief = newPersonAtProvider({ email_verified: false });
    const withoutCodes = () => newBrowser({ MAIL_CODE: "off" });
    expect((await signInAs(withoutCodes(), thief)).body.code).toBe("EMAIL_NOT_VERIFIED");
    const mail = await mailTo(thief.email, /Verify/);
    expect(mail.text).toContain("by a sign-in with id.issuer.example");
    expect((await call("POST", "/auth/verify-email", { body: { token: tokenIn(mail) } })).status).toBe(200);
    expect((await signInAs(withoutCodes(), thief)).body.code).toBe("CONFLICT");
    await reset(thief.email);
    const { body } = await call("POST", "/auth/login", { body: { email: thief.email, password: NEW_PASSWORD } });
    const owner = { token: body.data.accessToken };
    const { data } = (await call("GET", "/auth/me/activity", { token: owner.token })).body;
    expect(data).toContainEqual(
      expect.objectContaining({ action: "auth.identity_unlinked", meta: { reason: "email-verified" } }),
    );
  });

  test("keeps the provider if its own session verifies the address", async () => {
    const optional = newBrowser({ EMAIL_VERIFICATION: "optional" });
    const person = newPersonAtProvider({ email_verified: false });
    const { accessToken: token } = (await signInAs(optional, person)).body.data;
    const verified = { token: tokenIn(await mailTo(person.email, /Verify/)) };
    expect((await call("POST", "/auth/verify-email", { token, body: verified })).status).toBe(200);
    expect((await signInAs(newBrowser(), person)).status).toBe(200);
  });
});

describe("the log of whoever registered", () => {
  const verifications = async (token: string) => {
    const { data } = (await call("GET", "/auth/me/activity", { token })).body;
    return data.filter(({ action }: { action: string }) => action === "auth.email_verified");
  };
  const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

  test("does not say where the owner of the mailbox is, who verifies without a session of the account", async () => {
    const squatter = await signUp({ headers: {} });
    const body = { token: tokenIn(await mailTo(squatter.email, /Verify/)) };
    const headers = { "cf-connecting-ip": newAddress(), "user-agent": USER_AGENT };
    expect((await call("POST", "/auth/verify-email", { body, headers })).status).toBe(200);
    const [seen, ...others] = await verifications(squatter.token);
    expect([seen.ip, seen.userAgent, others]).toEqual([null, null, []]);
  });

  test("says where they verified their address themselves", async () => {
    const person = await signUp({ headers: {} });
    const body = { token: tokenIn(await mailTo(person.email, /Verify/)) };
    const ip = newAddress();
    const headers = { "cf-connecting-ip": ip, "user-agent": USER_AGENT };
    expect((await call("POST", "/auth/verify-email", { body, headers, token: person.token })).status).toBe(200);
    expect(await verifications(person.token)).toEqual([expect.objectContaining({ ip, userAgent: USER_AGENT })]);
  });
});

describe("a reset", () => {
  test("ends the keys, passkeys and identities from before the address was verified, and lists them", async () => {
    const { person, passkey } = await withPasskey();
    const key = await keyOf(person);
    await verifyAfterwards(person);
    const notice = await reset(person.email);
    expect(notice.text).toMatch(/These have ended with it: .*"CI" \(ak_.{5}…\) in .*, for webhook\.read/);
    expect(notice.text).toContain('the passkey "My phone"');
    expect([await works(key), (await loginWith(passkey)).status]).toEqual([401, 401]);
  });

  test("names the subscriptions that were set up before the address was verified, by whoever registered it", async () => {
    const squatter = await signUp();
    const add = async (name: string) => {
      const body = { name, url: "https://taps.example/hook", events: ["*"], secret: "a signing secret" };
      expect((await call("POST", "/webhooks", { token: squatter.token, body })).status).toBe(201);
    };
    await add("tap");
    const token = tokenIn(await mailTo(squatter.email, /Verify/));
    await call("POST", "/auth/verify-email", { body: { token } });
    await add("later");
    const { text } = await reset(squatter.email);
    expect(text).toMatch(
      /set up before your address was verified, and still receive events: "tap" \(taps\.example\)\. /,
    );
  });

  test("names the keys of the tenant that were made before the address was verified, by whoever registered it", async () => {
    const squatter = await signUp();
    const make = async (name: string) => {
      const body = { name, scopes: ["webhook.read"], owner: "tenant" };
      return (await call("POST", "/api-keys", { token: squatter.token, body })).body.data;
    };
    const { prefix } = await make("old key");
    const token = tokenIn(await mailTo(squatter.email, /Verify/));
    await call("POST", "/auth/verify-email", { body: { token } });
    await make("later");
    const { text } = await reset(squatter.email);
    expect(text).toContain(`made before your address was verified, and still work: old key (${prefix}). `);
  });

  test("names the feeds and sources that were set up before the address was verified, and ends portal links", async () => {
    const squatter = await signUp();
    const { token } = squatter;
    const make = async (path: string, body: object) =>
      expect((await call("POST", path, { token, body })).status).toBe(201);
    const setUp = async (name: string) => {
      await make("/feeds", { name, events: ["*"] });
      await make("/sources", { name, provider: "github", secrets: ["a signing secret"] });
    };
    await setUp("old");
    await call("POST", "/auth/verify-email", { body: { token: tokenIn(await mailTo(squatter.email, /Verify/)) } });
    await setUp("later");
    await make("/portal-links", { permissions: ["webhook.read"] });
    const { text } = await reset(squatter.email);
    expect(text).toContain('verified, and still work: feed "old", source "old". Replace');
    // The reset has ended it.
    expect(
      (await call("GET", "/portal-links", { token: (await logIn(squatter, NEW_PASSWORD)).token })).body.data,
    ).toEqual([]);
  });

  test("keeps the younger ones of a verified account, and lists them with what they can do", async () => {
    const { person, passkey } = await withPasskey();
    const key = await keyOf(person);
    const notice = await reset(person.email);
    expect(notice.text).not.toContain("have ended");
    expect(notice.text).toMatch(/These can still sign in as you: the passkey "My phone"/);
    expect(notice.text).toMatch(/These API keys of yours still work: "CI" \(ak_.{5}…\) in .*, for webhook\.read/);
    expect([await works(key), (await loginWith(passkey)).status]).toEqual([200, 200]);
  });

  test.each([
    ["endCredentials", async (email: string) => void (await reset(email, { endCredentials: true }))],
    [
      "the ticked box of the console",
      async (email: string) => {
        await call("POST", "/auth/forgot-password", {
          body: { email },
          headers: { "cf-connecting-ip": newAddress() },
        });
        const token = tokenIn(await mailTo(email, /Reset your password/));
        const browser = visit();
        expect((await browser.get(`/reset-password?token=${token}`)).html).toMatch(/name="endCredentials"[^>]*checked/);
        const form = { token, newPassword: NEW_PASSWORD, endCredentials: "yes" };
        expect((await browser.post("/reset-password", form)).status).toBe(303);
      },
    ],
  ])("ends all of them with %s, and records each", async (_, resetBy) => {
    const { person, passkey } = await withPasskey();
    const key = await keyOf(person);
    await resetBy(person.email);
    expect([await works(key), (await loginWith(passkey)).status]).toEqual([401, 401]);
    const { token } = await logIn(person, NEW_PASSWORD);
    const { data } = (await call("GET", "/auth/me/activity", { token })).body;
    for (const action of ["api_key.deleted", "auth.passkey_removed"]) {
      expect(data).toContainEqual(expect.objectContaining({ action, meta: { reason: "password-reset" } }));
    }
  });
});

describe("the account that has the address of a person at a provider", () => {
  test("is linked with a code that was mailed to the address, and else refused", async () => {
    const owner = await signUpVerified();
    const browser = newBrowser();
    const code = await trip(browser, newPersonAtProvider({ email: owner.email }));
    expect((await exchange(browser, code)).body.code).toBe("CONFLICT");
    const { state } = (await call("POST", "/auth/code", { body: { email: owner.email } })).body.data;
    const digits = (await mailTo(owner.email, /sign-in code/)).text.match(/\b\d{6}\b/)?.[0] ?? "";
    const wrong = { state, code: digits === "000000" ? "000001" : "000000" };
    expect((await exchange(browser, code, { mailCode: wrong })).body.code).toBe("INVALID_CODE");
    const linked = await exchange(browser, code, { mailCode: { state, code: digits } });
    expect(linked.status).toBe(200);
    const again = { body: { state, code: digits } };
    expect((await call("POST", "/auth/code/verify", again)).body.code).toBe("INVALID_CODE");
  });

  test("is never linked by address where LINK_BY_EMAIL says so", async () => {
    const owner = await signUpVerified();
    const browser = newBrowser({ LINK_BY_EMAIL: "never" });
    const code = await trip(browser, newPersonAtProvider({ email: owner.email }));
    const { state } = (await call("POST", "/auth/code", { body: { email: owner.email } })).body.data;
    const digits = (await mailTo(owner.email, /sign-in code/)).text.match(/\b\d{6}\b/)?.[0] ?? "";
    expect((await exchange(browser, code, { mailCode: { state, code: digits } })).body.code).toBe("CONFLICT");
  });

  test("is not opened by a spelling that only Unicode normalisation makes the same", async () => {
    const owner = await signUpVerified();
    const spelling = owner.email.replace("@", "＠");
    const browser = newBrowser({ LINK_BY_EMAIL: "always" });
    expect((await signInAs(browser, newPersonAtProvider({ email: spelling }))).body.code).toBe("EMAIL_NOT_VERIFIED");
    expect((await call("GET", "/auth/identities", { token: owner.token })).body.data).toEqual([]);
  });

  test("is never an operator's, whose address only our own mail verifies", async () => {
    const email = `operator-${crypto.randomUUID().slice(0, 8)}@example.com`;
    const browser = newBrowser({ OPERATORS: email, LINK_BY_EMAIL: "always" });
    const thief = newPersonAtProvider({ email });
    expect((await signInAs(browser, thief)).body.code).toBe("EMAIL_NOT_VERIFIED");
    const later = newPersonAtProvider();
    const { accessToken } = (await signInAs(newBrowser(), later)).body.data;
    const asOperator = newBrowser({ OPERATORS: later.email });
    const status = () => asOperator.send("GET", "/api/v1/operator/status", { token: accessToken });
    expect((await status()).status).toBe(404);
  });
});
