/** Changing one's name and address: who may, who is told, what ends, and how a thief's change is undone. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  call,
  eventually,
  logIn,
  newAddress,
  newEmail,
  PASSWORD,
  type Person,
  signUp,
  signUpVerified,
} from "../support/client";
import { holding, visit } from "../support/console";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";
import { newBrowser, newPersonAtProvider, signInAs } from "../support/oauth";
import { callUnder } from "../support/overrides";
import { withPasskey } from "../support/passkeys";
import { tire } from "../support/people";
import { codeOf, enrol } from "../support/two-factor";

afterEach(() => void vi.useRealTimers());

const HOUR_MS = 3_600_000;
const turn = (hours: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * HOUR_MS });

const ask = ({ token }: Person, email: string, proof: Record<string, unknown> = {}) =>
  call("POST", "/auth/change-email", { token, body: { email, ...proof } });
const confirm = ({ token }: Person, mailed: string) =>
  call("POST", "/auth/change-email/confirm", { token, body: { token: mailed } });
const me = async ({ token }: Person) => (await call("GET", "/auth/me", { token })).body.data;
const report = (token: string) =>
  call("POST", "/auth/not-me", { body: { token }, headers: { "cf-connecting-ip": newAddress() } });
const login = (email: string, fields: Record<string, unknown> = {}) =>
  call("POST", "/auth/login", {
    body: { email, password: PASSWORD, ...fields },
    headers: { "cf-connecting-ip": newAddress() },
  });
const register = (email: string) =>
  call("POST", "/auth/register", {
    body: { email, password: PASSWORD },
    headers: { "cf-connecting-ip": newAddress() },
  });

/** Asks for a change and returns the token of the mail to the new address. */
async function asked(person: Person, email = newEmail()): Promise<{ email: string; token: string }> {
  const { status } = await ask(person, email);
  if (status !== 200) throw new Error(`change-email answered ${status}`);
  return { email, token: tokenIn(await mailTo(email, /Confirm your new/)) };
}

/** Changes the address of somebody. Returns the new one, and the token of the link to the former one. */
async function moved(person: Person, former = person.email): Promise<{ email: string; undo: string }> {
  const { email, token } = await asked(person);
  expect((await confirm(person, token)).status).toBe(200);
  return { email, undo: tokenIn(await mailTo(former, /was changed/)) };
}

describe("the name", () => {
  test("is changed, trimmed and removed", async () => {
    const person = await signUp();
    const patch = (name: unknown) => call("PATCH", "/auth/me", { token: person.token, body: { name } });
    expect((await patch(" Ada Lovelace ")).body.data.name).toBe("Ada Lovelace");
    expect((await me(person)).name).toBe("Ada Lovelace");
    expect((await patch(null)).body.data.name).toBeNull();
    expect((await me(person)).name).toBeNull();
    for (const bad of ["", "x".repeat(201), "a\nb", 5, undefined]) expect((await patch(bad)).status).toBe(400);
  });
});

describe("a change of address", () => {
  test("takes effect when it is confirmed: sessions stay, and the new address signs in", async () => {
    const person = await signUpVerified();
    const { email, token } = await asked(person);
    expect((await me(person)).email).toBe(person.email);
    expect((await login(person.email)).status).toBe(200);
    const warning = await mailTo(person.email, /about to change/);
    expect(warning.text).toContain(email);
    expect((await confirm(person, token)).body).toEqual({ message: "Email changed." });
    expect(await me(person)).toMatchObject({ email, emailVerified: true });
    expect((await login(email)).status).toBe(200);
    expect((await login(person.email)).status).toBe(401);
    expect((await mailTo(person.email, /was changed/)).text).toContain(email);
    expect((await confirm(person, token)).body.code).toBe("INVALID_TOKEN");
  });

  test("is confirmed by a session of the account alone: a stranger who follows the link changes nothing", async () => {
    const [person, stranger] = [await signUpVerified(), await signUpVerified()];
    const { email, token } = await asked(person);
    expect((await confirm(stranger, token)).body.code).toBe("INVALID_TOKEN");
    expect((await call("POST", "/auth/change-email/confirm", { body: { token } })).status).toBe(401);
    expect((await me(stranger)).email).toBe(stranger.email);
    expect((await confirm(person, token)).status).toBe(200);
    expect((await me(person)).email).toBe(email);
  });

  test("needs a recent sign-in or a proof, like other changes that last", async () => {
    const person = await signUpVerified();
    await tire(person);
    expect((await ask(person, newEmail())).body.code).toBe("STEP_UP_REQUIRED");
    expect((await ask(person, newEmail(), { password: "not the password" })).body.code).toBe("WRONG_PASSWORD");
    expect((await ask(person, newEmail(), { password: PASSWORD })).status).toBe(200);
    const secret = await enrol(person);
    await tire(person);
    expect((await ask(person, newEmail(), { password: PASSWORD })).body.code).toBe("STEP_UP_REQUIRED");
    expect((await ask(person, newEmail(), { totp: codeOf(secret) })).status).toBe(200);
  });

  test("somebody with a passkey confirms with it first", async () => {
    const { person } = await withPasskey();
    await tire(person);
    const refused = await ask(person, newEmail(), { password: PASSWORD });
    expect([refused.body.code, refused.body.details[0].path]).toEqual(["STEP_UP_REQUIRED", "passkey"]);
  });

  test("a newer request ends the older one", async () => {
    const person = await signUpVerified();
    const [first, second] = [await asked(person), await asked(person)];
    expect((await confirm(person, first.token)).body.code).toBe("INVALID_TOKEN");
    expect((await confirm(person, second.token)).status).toBe(200);
    expect((await me(person)).email).toBe(second.email);
  });

  test("expires after 24 hours", async () => {
    const person = await signUpVerified();
    const { token } = await asked(person);
    turn(25);
    const later = await logIn(person);
    expect((await confirm(later, token)).body.code).toBe("INVALID_TOKEN");
  });

  test("ends the links that were mailed before", async () => {
    const person = await signUpVerified();
    await call("POST", "/auth/forgot-password", { body: { email: person.email } });
    const reset = tokenIn(await mailTo(person.email, /Reset/));
    await moved(person);
    const answer = await call("POST", "/auth/reset-password", {
      body: { token: reset, newPassword: "another one 42" },
    });
    expect(answer.body.code).toBe("INVALID_TOKEN");
  });

  test("of an unverified address verifies the new one, and gives the old one no power", async () => {
    const person = await signUp();
    const { email, token } = await asked(person);
    expect((await confirm(person, token)).status).toBe(200);
    expect(await me(person)).toMatchObject({ email, emailVerified: true });
    expect(mailsTo(person.email).filter(({ subject }) => /change/.test(subject))).toEqual([]);
    expect((await register(person.email)).status).toBe(201);
  });

  test("ends the passkeys, keys and providers from before at the next reset, because the mailbox is another one", async () => {
    const { person } = await withPasskey();
    const { email } = await moved(person);
    await call("POST", "/auth/forgot-password", { body: { email } });
    const reset = tokenIn(await mailTo(email, /Reset/));
    await call("POST", "/auth/reset-password", { body: { token: reset, newPassword: "another one 42" } });
    expect((await mailTo(email, /password was changed/)).text).toMatch(/have ended with it: the passkey/);
  });

  test("an address that has its account already is refused to its owner alone, when it is confirmed", async () => {
    const [person, other] = [await signUpVerified(), await signUpVerified()];
    const answer = await ask(person, other.email);
    expect([answer.status, answer.body]).toEqual([200, { message: "Confirmation email sent." }]);
    const mail = await mailTo(other.email, /cannot be used/);
    expect(mail.text).not.toContain("token=");
    const { email, token } = await asked(person);
    expect((await register(email)).status).toBe(201);
    const taken = await confirm(person, token);
    expect([taken.status, taken.body.code]).toEqual([409, "EMAIL_TAKEN"]);
    expect((await me(person)).email).toBe(person.email);
  });

  test("the present address is refused, and so is one outside the domains of REGISTRATION", async () => {
    const person = await signUpVerified();
    expect((await ask(person, person.email.toUpperCase())).body.details[0].path).toBe("email");
    const outside = await callUnder(
      { REGISTRATION: "domains:example.org" },
      { path: "/api/v1/auth/change-email", token: person.token, body: { email: newEmail() } },
    );
    expect([outside.status, outside.body.code]).toEqual([403, "FORBIDDEN"]);
  });

  test("an operator's account keeps its address, and no account gets an operator's", async () => {
    const person = await signUpVerified();
    const under = (operators: string, path: string, body: object) =>
      callUnder({ OPERATORS: operators }, { path: `/api/v1/auth/change-email${path}`, token: person.token, body });
    expect((await under(person.email, "", { email: newEmail() })).body.code).toBe("FORBIDDEN");
    const { email, token } = await asked(person);
    for (const operators of [person.email, email]) {
      expect((await under(operators, "/confirm", { token })).body.code).toBe("FORBIDDEN");
    }
    expect((await me(person)).email).toBe(person.email);
    expect((await confirm(person, token)).status).toBe(200);
  });
});

describe("at the same time", () => {
  test("of 20 confirmations of one change, one succeeds", async () => {
    const person = await signUpVerified();
    const { token } = await asked(person);
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(person, token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "INVALID_TOKEN")).toHaveLength(19);
  });

  test("of 10 people who want one address, one gets it", async () => {
    const email = newEmail();
    const people = await Promise.all(Array.from({ length: 10 }, signUpVerified));
    const before = mailsTo(email).length;
    for (const person of people) await ask(person, email);
    const mails = await eventually("all links", async () => {
      const all = mailsTo(email).slice(before);
      return all.length === people.length && all;
    });
    const answers = await Promise.all(people.flatMap((person) => mails.map((mail) => confirm(person, tokenIn(mail)))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "EMAIL_TAKEN")).toHaveLength(9);
  });
});

describe("the former address", () => {
  test("undoes a thief's change for 72 hours: the address is back, and everything ends", async () => {
    const owner = await signUpVerified();
    const thief = await logIn(owner);
    const { email, undo } = await moved(thief);
    const secret = await enrol(thief);
    expect((await report(undo)).status).toBe(200);
    for (const session of [owner, thief]) {
      expect((await call("GET", "/auth/me", { token: session.token })).status).toBe(401);
    }
    expect((await login(email, { totp: codeOf(secret, 1) })).status).toBe(401);
    const reset = tokenIn(await mailTo(owner.email, /Reset your password/));
    await call("POST", "/auth/reset-password", { body: { token: reset, newPassword: "another one 42" } });
    const back = await login(owner.email, { password: "another one 42" });
    expect(back.status).toBe(200);
    expect(await me({ ...owner, token: back.body.data.accessToken })).toMatchObject({
      email: owner.email,
      emailVerified: true,
      twoFactorEnabled: false,
    });
    expect((await report(undo)).body.code).toBe("INVALID_TOKEN");
  });

  test("stops a change that was only asked for", async () => {
    const owner = await signUpVerified();
    const { token } = await asked(owner);
    const warning = tokenIn(await mailTo(owner.email, /about to change/));
    expect((await report(warning)).status).toBe(200);
    const stored = await env.DB.prepare("SELECT purpose FROM email_tokens WHERE subject_id = ? AND purpose = ?")
      .bind(owner.userId, "change-email")
      .all();
    expect(stored.results).toEqual([]);
    const thief = await logIn(owner, PASSWORD).catch(() => null);
    expect(thief).toBeNull();
    expect((await confirm(owner, token)).status).toBe(401);
  });

  test("a link of an earlier mail gives it back too, with the second factor that the thief has turned off", async () => {
    const owner = await signUpVerified();
    const secret = await enrol(owner);
    const made = await call("POST", "/auth/2fa/recovery-codes", {
      token: owner.token,
      body: { token: codeOf(secret) },
    });
    const [first, second] = made.body.data.recoveryCodes as string[];
    const thief = await logIn(owner, PASSWORD, { totp: first });
    await call("POST", "/api-keys", { token: thief.token, body: { name: "tap", scopes: ["webhook.read"] } });
    const earlier = tokenIn(await mailTo(owner.email, /API key/));
    const { email } = await moved(thief);
    await call("POST", "/auth/2fa/disable", { token: thief.token, body: { token: second } });
    await mailTo(email, /turned off/);
    const own = await enrol(thief);
    expect((await report(earlier)).status).toBe(200);
    await mailTo(owner.email, /Reset your password/);
    expect(mailsTo(email).filter(({ subject }) => /Reset/.test(subject))).toEqual([]);
    const user = await env.DB.prepare(
      "SELECT email, password_hash, totp_enabled_at IS NOT NULL AS has FROM users WHERE id = ?",
    )
      .bind(owner.userId)
      .first();
    expect(user).toEqual({ email: owner.email, password_hash: "", has: 1 });
    const reset = tokenIn(await mailTo(owner.email, /Reset your password/));
    await call("POST", "/auth/reset-password", { body: { token: reset, newPassword: "another one 42" } });
    expect((await login(owner.email, { password: "another one 42", totp: codeOf(own, 1) })).status).toBe(401);
    expect((await login(owner.email, { password: "another one 42", totp: codeOf(secret, 1) })).status).toBe(200);
  });

  test("is nobody else's for 72 hours: not by registration, a provider, or another change", async () => {
    const [owner, other] = [await signUpVerified(), await signUpVerified()];
    const { email: second } = await moved(owner);
    expect((await register(owner.email)).body.code).toBe("EMAIL_TAKEN");
    const person = newPersonAtProvider({ email: owner.email });
    expect((await signInAs(newBrowser(), person)).body.code).toBe("CONFLICT");
    await ask(other, owner.email);
    await mailTo(owner.email, /cannot be used/);
    // Their own way back is open.
    const { token } = await asked(owner, owner.email);
    expect((await confirm(owner, token)).status).toBe(200);
    expect((await me(owner)).email).toBe(owner.email);
    turn(73);
    expect((await register(second)).status).toBe(201);
  });

  test("after two changes, the first address gets the account back and the second one's link ends", async () => {
    const owner = await signUpVerified();
    const thief = await logIn(owner);
    const { email: second, undo } = await moved(thief);
    const { undo: later } = await moved(thief, second);
    expect((await report(undo)).status).toBe(200);
    expect((await report(later)).body.code).toBe("INVALID_TOKEN");
    const user = await env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(owner.userId).first();
    expect(user).toEqual({ email: owner.email });
  });
});

describe("in the console", () => {
  test("My security changes name and address, and the link leads to a page that asks for the account", async () => {
    const person = await signUpVerified();
    const browser = await holding(person);
    expect((await browser.follow(await browser.post("/security/name", { name: "Ada" }))).html).toContain('value="Ada"');
    const email = newEmail();
    const shown = await browser.follow(await browser.post("/security/email", { email }));
    expect(shown.html).toContain(email);
    const token = tokenIn(await mailTo(email, /Confirm your new/));
    const stranger = await visit().get(`/confirm-email?token=${token}`);
    expect(stranger.html).toContain("Sign in");
    expect((await browser.get(`/confirm-email?token=${token}`)).html).toContain(person.email);
    const done = await browser.follow(await browser.post("/confirm-email", { token }));
    expect(done.html).toContain("Your email address is changed.");
    expect((await browser.post("/confirm-email", { token })).status).toBe(400);
  });

  test("somebody who must confirm the session comes back to the address that they wanted", async () => {
    const person = await signUpVerified();
    const browser = await holding(person);
    await tire(person);
    const asked = await browser.post("/security/email", { email: "new+ada@example.com" });
    expect(asked.location).toContain("/security/confirm");
    const to = new URL(asked.location ?? "", "http://x").searchParams.get("to") ?? "";
    const back = await browser.follow(await browser.post("/security/confirm", { to, password: PASSWORD }));
    expect(back.html).toContain('value="new+ada@example.com"');
  });
});
