/** What confirms a session: a factor of the account, if it has one. */
import { describe, expect, test } from "vitest";
import { call, logIn, PASSWORD, type Person, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { mailTo } from "../support/mailbox";
import { addPasskey, stepUpBody, withPasskey } from "../support/passkeys";
import { tire } from "../support/people";
import { codeOf, enrol } from "../support/two-factor";

const stepUp = ({ token }: Person, body: unknown) => call("POST", "/auth/step-up", { token, body });

/** The body of a step-up with a code that was mailed. */
async function withMailCode({ email }: Person) {
  const { state } = (await call("POST", "/auth/code", { body: { email } })).body.data;
  const code = (await mailTo(email, /sign-in code/)).text.match(/\b\d{6}\b/)?.[0];
  return { mailCode: { state, code } };
}

describe("an account with a second factor", () => {
  test("is not confirmed by its password or a mailed code alone, and the answer names what is wanted", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    await tire(person);
    for (const body of [{ password: PASSWORD }, await withMailCode(person)]) {
      const refused = await stepUp(person, body);
      expect([refused.status, refused.body.code]).toEqual([403, "STEP_UP_REQUIRED"]);
      expect(refused.body.details).toEqual([{ path: "totp", message: "Give a two-factor or a recovery code" }]);
    }
    const removal = () => call("DELETE", "/tenant", { token: person.token, body: { password: PASSWORD } });
    expect((await removal()).body.code).toBe("STEP_UP_REQUIRED");
    expect((await stepUp(person, { password: PASSWORD, totp: codeOf(secret) })).status).toBe(200);
    expect((await removal()).status).toBe(200);
  });

  test("is not confirmed for longer by a password within the ten minutes", async () => {
    const person = await signUpVerified();
    await enrol(person);
    const remove = (password: string) => call("DELETE", "/tenant", { token: person.token, body: { password } });
    expect((await remove("wrong")).body.code).toBe("WRONG_PASSWORD");
    await tire(person);
    expect((await remove(PASSWORD)).body.code).toBe("STEP_UP_REQUIRED");
  });
});

describe("an account with a passkey", () => {
  test("needs the passkey, whatever a sign-in by password has shown", async () => {
    const { person, passkey } = await withPasskey();
    const again = { ...person, ...(await logIn(person)) };
    const remove = () => call("DELETE", `/auth/passkeys/${passkey.id}`, { token: again.token });
    const refused = await remove();
    expect([refused.status, refused.body.code]).toEqual([403, "STEP_UP_REQUIRED"]);
    expect(refused.body.details).toEqual([
      { path: "passkey", message: "Show one of your passkeys, on a device that has it" },
    ]);
    expect((await stepUp(again, { password: PASSWORD })).body.code).toBe("STEP_UP_REQUIRED");
    expect((await stepUp(again, await stepUpBody(again, passkey))).status).toBe(200);
    expect((await remove()).status).toBe(200);
  });

  test("is confirmed by one of two factors", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    await addPasskey(person);
    await tire(person);
    const refused = await stepUp(person, { password: PASSWORD });
    expect(refused.body.details.map(({ path }: { path: string }) => path)).toEqual(["totp", "passkey"]);
    expect((await stepUp(person, { totp: codeOf(secret) })).status).toBe(200);
  });
});

test("the console asks for the factor where a form takes the password alone", async () => {
  const owner = await signUpVerified();
  await enrol(owner);
  const browser = await holding(owner);
  await tire(owner);
  const sent = await browser.post("/tenants/delete", { password: PASSWORD });
  expect([sent.status, sent.location]).toEqual([303, "/console/security/confirm?to=%2Fconsole%2Ftenants%2Fdelete"]);
  const { html } = await browser.get("/security/confirm?to=%2Fconsole%2Ftenants%2Fdelete");
  expect(html).toMatch(/name="totp"/);
  expect(html).not.toMatch(/name="password"/);
});
