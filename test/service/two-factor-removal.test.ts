/** A lost second factor: an operator has a link mailed, and only its use removes anything. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, logIn, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { visit } from "../support/console";
import { mailTo, tokenIn } from "../support/mailbox";
import { operate, operator } from "../support/operators";
import { codeOf, enrol } from "../support/two-factor";

const SUBJECT = /Remove your lost second factor/;

/** A person with a second factor and the token that was mailed to them. */
async function asked() {
  const person = await signUpVerified();
  const secret = await enrol(person);
  const answer = await operate(await operator(), "POST", `/people/${person.userId}/two-factor/remove`, {});
  expect([answer.status, answer.body.message]).toEqual([200, "Confirmation mailed."]);
  return { person, secret, token: tokenIn(await mailTo(person.email, SUBJECT)) };
}

const use = (token: string) => call("POST", "/auth/2fa/remove", { body: { token } });
const login = ({ email }: Person, fields: object = {}) =>
  call("POST", "/auth/login", { body: { email, password: PASSWORD, ...fields } });

describe("the mailed link", () => {
  test("removes nothing before it is used, and then the factor with its codes and sessions", async () => {
    const { person, secret, token } = await asked();
    const renewed = await call("POST", "/auth/2fa/recovery-codes", {
      token: person.token,
      body: { token: codeOf(secret) },
    });
    expect(renewed.status).toBe(200);
    expect((await login(person)).body.code).toBe("TOTP_REQUIRED");
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(200);
    expect((await use(token)).body.message).toMatch(/^Two-factor authentication is off/);
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(401);
    const after = await login(person);
    expect(after.status).toBe(200);
    const left = env.DB.prepare("SELECT count(*) AS n FROM recovery_codes WHERE user_id = ?").bind(person.userId);
    expect(await left.first("n")).toBe(0);
    const { data } = (await call("GET", "/auth/me/activity", { token: after.body.data.accessToken })).body;
    const actions = data.map(({ action }: { action: string }) => action);
    expect(actions.slice(0, 3)).toEqual(["auth.login", "auth.2fa_removed", "auth.recovery_codes_renewed"]);
    expect(actions).toContain("operator.2fa_removal_mailed");
  });

  test("is told of by a mail whose link undoes it", async () => {
    const { person, secret, token } = await asked();
    await use(token);
    const undo = tokenIn(await mailTo(person.email, /was turned off/));
    expect((await call("POST", "/auth/not-me", { body: { token: undo } })).status).toBe(200);
    expect((await login(person, { totp: codeOf(secret) })).status).toBe(200);
  });

  test("works once, of 20 parallel uses too", async () => {
    const { token } = await asked();
    const answers = await Promise.all(Array.from({ length: 20 }, () => use(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const [refused] = answers.filter(({ status }) => status !== 200);
    expect([refused?.status, refused?.body.code]).toEqual([400, "INVALID_TOKEN"]);
  });

  test("expires, is stored as a hash only, and does not remove a factor that was set up since", async () => {
    const [expired, enrolledAgain] = [await asked(), await asked()];
    const { results } = await env.DB.prepare("SELECT * FROM email_tokens WHERE subject_id = ?")
      .bind(expired.person.userId)
      .all();
    expect(JSON.stringify(results)).not.toContain(expired.token);
    await env.DB.prepare("UPDATE email_tokens SET expires_at = ? WHERE subject_id = ?")
      .bind(Date.now() - 1, expired.person.userId)
      .run();
    expect((await use(expired.token)).body.code).toBe("INVALID_TOKEN");
    const { person, secret } = enrolledAgain;
    await call("POST", "/auth/2fa/disable", { token: person.token, body: { token: codeOf(secret) } });
    await enrol(person);
    expect((await use(enrolledAgain.token)).body.code).toBe("INVALID_TOKEN");
    expect((await login(person)).body.code).toBe("TOTP_REQUIRED");
  });

  test("shows what it does in the console, and only the button does it", async () => {
    const { person, token } = await asked();
    const browser = visit();
    const page = await browser.get(`/remove-two-factor?token=${token}`);
    expect(page.html).toContain("All your sessions end.");
    expect((await login(person)).body.code).toBe("TOTP_REQUIRED");
    const done = await browser.post("/remove-two-factor", { token });
    expect(done.html).toContain("Two-factor authentication is off");
    expect((await login(person)).status).toBe(200);
    const again = await browser.post("/remove-two-factor", { token });
    expect([again.status, again.html.includes("Invalid or expired link.")]).toEqual([400, true]);
  });
});

test("nothing is mailed to a person without a second factor, or without a verified address", async () => {
  const op = await operator();
  const [without, unverified] = [await signUpVerified(), await signUp()];
  await enrol(unverified);
  for (const { userId } of [without, unverified]) {
    const { status, body } = await operate(op, "POST", `/people/${userId}/two-factor/remove`, {});
    expect([status, body.code]).toEqual([409, "CONFLICT"]);
  }
  const { data } = (await call("GET", "/audit?action=operator.2fa_removal_mailed", { token: op.token })).body;
  expect(data).toEqual([]);
  expect((await operate(await logIn(without), "POST", `/people/${op.userId}/two-factor/remove`, {})).status).toBe(404);
});
