/** "This was not me" links: each undoes what its mail names, once, without a sign-in. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, eventually, logIn, newAddress, PASSWORD, type Person, signUp, verify } from "../support/client";
import { visit } from "../support/console";
import { mailsTo, mailTo, tokenIn, tokensIn } from "../support/mailbox";
import { codeOf, enrol } from "../support/two-factor";

const HOUR_MS = 3_600_000;
const NEW_PASSWORD = "a much better password";

afterEach(() => void vi.useRealTimers());

const report = (token: string) =>
  call("POST", "/auth/not-me", { body: { token }, headers: { "cf-connecting-ip": newAddress() } });
const me = async (person: Person) => (await call("GET", "/auth/me", { token: person.token })).status;
const login = (email: string, fields: Record<string, unknown> = {}) =>
  call("POST", "/auth/login", { body: { email, password: PASSWORD, ...fields } });

/** A verified owner with an API key, and a thief with a session of theirs. */
async function robbed() {
  const owner = await signUp();
  await verify(owner.email);
  const thief = await logIn(owner);
  const { key } = (
    await call("POST", "/api-keys", { token: owner.token, body: { name: "ci", scopes: ["webhook.read"] } })
  ).body.data;
  await mailTo(owner.email, /API key/);
  return { owner, thief, key };
}

/** What every link but the one for API keys does besides its own. */
async function expectEverythingEnded(owner: Person, sessions: Person[], key: string) {
  for (const session of sessions) expect(await me(session)).toBe(401);
  expect((await call("GET", "/webhooks", { token: key })).status).toBe(401);
  await mailTo(owner.email, /Reset your password/);
}

test("a stolen session turns two-factor authentication on; the link in the notice turns it off", async () => {
  const { owner, thief, key } = await robbed();
  await enrol(thief);
  expect(await me(owner)).toBe(401);
  expect((await login(owner.email)).body.code).toBe("TOTP_REQUIRED");
  const token = tokenIn(await mailTo(owner.email, /turned on/));
  const done = await report(token);
  expect([done.status, done.body]).toEqual([
    200,
    { message: "Undone. All sessions and API keys have ended, and a reset link has been sent." },
  ]);
  await expectEverythingEnded(owner, [owner, thief], key);
  expect((await login(owner.email)).status).toBe(200);
});

test("the link for two-factor authentication turned off brings back the old secret and codes, even after another enrolment", async () => {
  const { owner, thief, key } = await robbed();
  const secret = await enrol(thief);
  const renewed = await call("POST", "/auth/2fa/recovery-codes", {
    token: thief.token,
    body: { token: codeOf(secret) },
  });
  const [usedCode, unusedCode] = renewed.body.data.recoveryCodes;
  await call("POST", "/auth/2fa/disable", { token: thief.token, body: { token: usedCode } });
  const token = tokenIn(await mailTo(owner.email, /turned off/));
  await enrol(thief);
  expect((await report(token)).status).toBe(200);
  await expectEverythingEnded(owner, [thief], key);
  expect((await login(owner.email)).body.code).toBe("TOTP_REQUIRED");
  expect((await login(owner.email, { totp: usedCode })).body.code).toBe("INVALID_TOTP");
  expect((await login(owner.email, { totp: unusedCode })).status).toBe(200);
  expect((await login(owner.email, { totp: codeOf(secret, 1) })).status).toBe(200);
});

test("the link for new recovery codes makes the previous ones valid again", async () => {
  const { owner, thief, key } = await robbed();
  const secret = await enrol(thief);
  const renew = async (code: string) =>
    (await call("POST", "/auth/2fa/recovery-codes", { token: thief.token, body: { token: code } })).body.data
      .recoveryCodes as string[];
  const [spent = "", kept = ""] = await renew(codeOf(secret));
  await mailTo(owner.email, /new recovery codes/);
  const [stolen = ""] = await renew(spent);
  const mails = await eventually("second notice", async () => {
    const found = mailsTo(owner.email).filter(({ subject }) => /new recovery codes/.test(subject));
    return found.length === 2 && found;
  });
  const [, newest] = mails;
  if (!newest) throw new Error("no second notice");
  expect((await report(tokenIn(newest))).status).toBe(200);
  await expectEverythingEnded(owner, [thief], key);
  for (const code of [stolen, spent]) expect((await login(owner.email, { totp: code })).body.code).toBe("INVALID_TOTP");
  expect((await login(owner.email, { totp: kept })).status).toBe(200);
});

test("the link for a changed password makes the new one invalid", async () => {
  const { owner, thief, key } = await robbed();
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  await call("POST", "/auth/change-password", { token: thief.token, body });
  const [token = ""] = tokensIn(await mailTo(owner.email, /password was changed/));
  expect((await login(owner.email, { password: NEW_PASSWORD })).status).toBe(200);
  expect((await report(token)).status).toBe(200);
  await expectEverythingEnded(owner, [owner, thief], key);
  for (const password of [PASSWORD, NEW_PASSWORD]) expect((await login(owner.email, { password })).status).toBe(401);
  const reset = tokenIn(await mailTo(owner.email, /Reset your password/));
  const done = await call("POST", "/auth/reset-password", { body: { token: reset, newPassword: PASSWORD } });
  expect(done.status).toBe(200);
  expect((await login(owner.email)).status).toBe(200);
});

test("a reset by mail voids the links of older password changes, and carries a new one", async () => {
  const { owner, thief } = await robbed();
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  await call("POST", "/auth/change-password", { token: thief.token, body });
  const [older = ""] = tokensIn(await mailTo(owner.email, /password was changed/));
  await call("POST", "/auth/forgot-password", { body: { email: owner.email } });
  const reset = tokenIn(await mailTo(owner.email, /Reset your password/));
  await call("POST", "/auth/reset-password", { body: { token: reset, newPassword: "the third password" } });
  expect((await report(older)).body.code).toBe("INVALID_TOKEN");
  expect((await login(owner.email, { password: "the third password" })).status).toBe(200);
});

test("the link for a new API key revokes it with all others", async () => {
  const { owner, thief, key } = await robbed();
  const made = await call("POST", "/api-keys", {
    token: thief.token,
    body: { name: "mine", scopes: ["webhook.read"] },
  });
  const mail = await eventually("second notice", async () =>
    mailsTo(owner.email).find(({ text }) => text.includes('"mine"')),
  );
  expect((await report(tokenIn(mail))).status).toBe(200);
  await expectEverythingEnded(owner, [owner, thief], key);
  expect((await call("GET", "/webhooks", { token: made.body.data.key })).status).toBe(401);
});

test("a mail about a password lists the API keys that still work, with a link that revokes them and nothing else", async () => {
  const { owner, thief, key } = await robbed();
  const body = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  await call("POST", "/auth/change-password", { token: owner.token, body });
  expect((await call("GET", "/webhooks", { token: key })).status).toBe(200);
  const mail = await mailTo(owner.email, /password was changed/);
  expect(mail.text).toContain(`"ci" (${key.slice(0, 8)}…)`);
  const [, revokeToken = ""] = tokensIn(mail);
  const done = await report(revokeToken);
  expect([done.status, done.body]).toEqual([200, { message: "All API keys have been revoked." }]);
  expect((await call("GET", "/webhooks", { token: key })).status).toBe(401);
  expect(await me(owner)).toBe(200);
  expect(await me(thief)).toBe(401);
  expect((await login(owner.email, { password: NEW_PASSWORD })).status).toBe(200);
});

test("turning two-factor authentication on ends the user's other sessions", async () => {
  const { owner, thief } = await robbed();
  await enrol(owner);
  expect(await me(owner)).toBe(200);
  expect(await me(thief)).toBe(401);
});

describe("a link", () => {
  const linkOfKey = async () => {
    const { owner } = await robbed();
    return { owner, token: tokenIn(await mailTo(owner.email, /API key/)) };
  };

  test("works once: of 10 parallel uses one succeeds", async () => {
    const { owner, token } = await linkOfKey();
    const answers = await Promise.all(Array.from({ length: 10 }, () => report(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect([status, body.code, body.message]).toEqual([400, "INVALID_TOKEN", "Invalid or expired link."]);
    }
    await eventually("one reset mail", async () => mailsTo(owner.email).some(({ subject }) => /Reset/.test(subject)));
  });

  test("works for 72 hours", async () => {
    const { token } = await linkOfKey();
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: now + 72 * HOUR_MS });
    expect((await report(token)).body.code).toBe("INVALID_TOKEN");
    vi.useFakeTimers({ toFake: ["Date"], now: now + 72 * HOUR_MS - 60_000 });
    expect((await report(token)).status).toBe(200);
  });

  test("is no reset, verification or invitation token, and the other way round", async () => {
    const { owner, token } = await linkOfKey();
    const elsewhere = { headers: { "cf-connecting-ip": newAddress() } };
    const reset = await call("POST", "/auth/reset-password", {
      body: { token, newPassword: NEW_PASSWORD },
      ...elsewhere,
    });
    const verified = await call("POST", "/auth/verify-email", { body: { token }, ...elsewhere });
    await call("POST", "/auth/forgot-password", { body: { email: owner.email }, ...elsewhere });
    const asNotMe = await report(tokenIn(await mailTo(owner.email, /Reset/)));
    expect([reset, verified, asNotMe].map(({ body }) => body.code)).toEqual(Array(3).fill("INVALID_TOKEN"));
  });

  test("is not stored in D1", async () => {
    const { token } = await linkOfKey();
    const { results } = await env.DB.prepare("SELECT * FROM email_tokens").all();
    expect(JSON.stringify(results)).not.toContain(token);
  });

  test("says on its page what it does, and does it only when its button is pressed", async () => {
    const { owner, thief } = await robbed();
    await enrol(thief);
    const token = tokenIn(await mailTo(owner.email, /turned on/));
    const browser = visit();
    for (let opened = 0; opened < 3; opened++) {
      const page = await browser.get(`/not-me?token=${token}`);
      expect([page.status, page.html.includes("Two-factor authentication is turned off again.")]).toEqual([200, true]);
      expect(page.html).toContain("What was done with your account in its tenants since then is undone");
    }
    expect(await me(thief)).toBe(200);
    const done = await browser.post("/not-me", { token });
    expect([done.status, done.html.includes("All sessions and API keys have ended")]).toEqual([200, true]);
    expect(await me(thief)).toBe(401);
    expect((await browser.post("/not-me", { token })).status).toBe(400);
    expect((await browser.get(`/not-me?token=${token}`)).html).toContain("Invalid or expired link.");
    expect((await browser.get("/not-me")).status).toBe(400);
  });
});
