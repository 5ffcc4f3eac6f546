/** Changes of name and address. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, eventually, logIn, newEmail, PASSWORD, signUp, signUpVerified } from "../support/client";
import { holding, visit } from "../support/console";
import { ask, asked, confirm, login, me, moved, register, turn } from "../support/email-change";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";
import { callUnder } from "../support/overrides";
import { withPasskey } from "../support/passkeys";
import { tire } from "../support/people";
import { codeOf, enrol } from "../support/two-factor";

afterEach(() => void vi.useRealTimers());

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
    await env.DB.prepare("UPDATE users SET email = ? WHERE email = ?").bind(email, other.email).run();
    const taken = await confirm(person, token);
    expect([taken.status, taken.body.code]).toEqual([409, "EMAIL_TAKEN"]);
    expect((await me(person)).email).toBe(person.email);
  });

  test("takes the address from an account that has not proven it, registered before the request or after it", async () => {
    for (const isBefore of [true, false]) {
      const [person, email] = [await signUpVerified(), newEmail()];
      const squatter = async () => {
        const { body } = await register(email);
        const { accessToken: token } = body.data;
        const key = { name: "k", scopes: ["webhook.read"] };
        const made = await call("POST", "/api-keys", { token, body: key });
        return { token, key: made.body.data.key };
      };
      const before = isBefore ? await squatter() : null;
      const { token } = await asked(person, email);
      const { token: session, key } = before ?? (await squatter());
      const answers = await Promise.all(Array.from({ length: 10 }, () => confirm(person, token)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await me(person)).toMatchObject({ email, emailVerified: true });
      expect((await me({ ...person, token: session })) ?? null).toBeNull();
      expect((await call("GET", "/webhooks", { token: key })).status).toBe(401);
      expect((await login(email)).status).toBe(200);
    }
  });

  test("leaves a suspended account its address", async () => {
    const [person, email] = [await signUpVerified(), newEmail()];
    const { token } = await asked(person, email);
    await register(email);
    await env.DB.prepare("UPDATE users SET suspended_at = 1 WHERE email = ?").bind(email).run();
    expect((await confirm(person, token)).body.code).toBe("EMAIL_TAKEN");
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
