/** Deleting an account or a tenant: who may, what it takes, and what ends at once. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, logIn, newEmail, PASSWORD, type Person, setRole, signUp, signUpVerified } from "../support/client";
import { mailTo } from "../support/mailbox";
import { callUnder } from "../support/overrides";
import { invite, joinTenant } from "../support/people";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { codeOf, enrol } from "../support/two-factor";

const MINUTE_MS = 60_000;

afterEach(() => {
  vi.useRealTimers();
});

const deleteMe = ({ token }: Pick<Person, "token">, body: object = {}) =>
  call("DELETE", "/auth/me", { token, body: { password: PASSWORD, ...body } });
const deleteTenant = ({ token }: Pick<Person, "token">, body: object = {}) =>
  call("DELETE", "/tenant", { token, body });
const codeOfAnswer = async (answer: ReturnType<typeof call>) => {
  const { status, body } = await answer;
  return [status, body.code];
};

describe("DELETE /auth/me", () => {
  test("ends sessions and API keys at once and frees the address", async () => {
    const person = await signUpVerified();
    const second = await logIn(person);
    const body = { name: "key", scopes: ["webhook.read"] };
    const { key, id, prefix } = (await call("POST", "/api-keys", { token: person.token, body })).body.data;
    const deleted = await deleteMe(person, { deleteTenants: true });
    const endedApiKeys = [{ id, name: "key", prefix }];
    expect([deleted.status, deleted.body]).toEqual([200, { message: "Account deleted.", endedApiKeys }]);
    expect(await codeOfAnswer(call("GET", "/auth/me", { token: second.token }))).toEqual([401, "UNAUTHENTICATED"]);
    expect(await codeOfAnswer(call("GET", "/webhooks", { token: key }))).toEqual([401, "UNAUTHENTICATED"]);
    const { email, refreshToken } = second;
    const refreshed = call("POST", "/auth/refresh", { body: { refreshToken } });
    expect(await codeOfAnswer(refreshed)).toEqual([401, "REFRESH_TOKEN_INVALID"]);
    const login = call("POST", "/auth/login", { body: { email, password: PASSWORD } });
    expect(await codeOfAnswer(login)).toEqual([401, "UNAUTHENTICATED"]);
    expect((await call("POST", "/auth/register", { body: { email, password: PASSWORD } })).status).toBe(201);
  });

  test("needs a session and the right password, and changes nothing without", async () => {
    const person = await signUp();
    expect(await codeOfAnswer(call("DELETE", "/auth/me", { body: { password: PASSWORD } }))).toEqual([
      401,
      "UNAUTHENTICATED",
    ]);
    const wrong = deleteMe(person, { password: "not the password", deleteTenants: true });
    expect(await codeOfAnswer(wrong)).toEqual([401, "WRONG_PASSWORD"]);
    const none = call("DELETE", "/auth/me", { token: person.token, body: {} });
    expect(await codeOfAnswer(none)).toEqual([400, "VALIDATION_FAILED"]);
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(200);
  });

  test("ten wrong passwords lock the account, for the right one too", async () => {
    const person = await signUp();
    for (let wrong = 0; wrong < 10; wrong += 1) {
      const headers = { "cf-connecting-ip": `203.0.113.${wrong}` };
      const body = { email: person.email, password: "not the password" };
      await call("POST", "/auth/login", { body, headers });
    }
    expect(await codeOfAnswer(deleteMe(person, { deleteTenants: true }))).toEqual([423, "ACCOUNT_LOCKED"]);
  });

  test("needs the code of a second factor, which must be right and unused", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    expect(await codeOfAnswer(deleteMe(person, { deleteTenants: true }))).toEqual([403, "TOTP_REQUIRED"]);
    const totp = codeOf(secret);
    expect((await call("POST", "/auth/step-up", { token: person.token, body: { totp } })).status).toBe(200);
    expect(await codeOfAnswer(deleteMe(person, { deleteTenants: true, totp }))).toEqual([401, "INVALID_TOTP"]);
    expect((await deleteMe(person, { deleteTenants: true, totp: codeOf(secret, 1) })).status).toBe(200);
  });

  test("of ten requests at once exactly one succeeds, and one purge is begun", async () => {
    const person = await signUp();
    const answers = await Promise.all(Array.from({ length: 10 }, () => deleteMe(person, { deleteTenants: true })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(9).fill(401)]);
    const begun = env.DB.prepare("SELECT count(*) AS n FROM purges WHERE subject_id IN (?, ?)");
    expect(await begun.bind(person.userId, person.tenantId).first("n")).toBe(2);
  });

  test("is refused to the only member of a tenant without deleteTenants", async () => {
    const person = await signUp();
    const { status, body } = await deleteMe(person);
    expect([status, body.code, body.message]).toEqual([409, "CONFLICT", expect.stringContaining("Personal")]);
    expect((await call("GET", "/auth/me", { token: person.token })).status).toBe(200);
  });

  test("is refused to the last owner among other members, even with deleteTenants", async () => {
    const owner = await signUp();
    const guest = await joinTenant(owner, "admin");
    expect(await codeOfAnswer(deleteMe(owner, { deleteTenants: true }))).toEqual([409, "LAST_OWNER"]);
    await setRole(guest, "owner");
    expect((await deleteMe(owner)).status).toBe(200);
    const members = await call("GET", "/members", { token: guest.token });
    expect(members.body.data.map(({ userId }: Person) => userId)).toEqual([guest.userId]);
  });

  test("of two last owners who delete themselves at once, one stays", async () => {
    const owner = await signUp();
    const [second, viewer] = [await joinTenant(owner, "admin"), await joinTenant(owner, "viewer")];
    await setRole(second, "owner");
    const answers = await Promise.all([deleteMe(owner), deleteMe(second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await call("GET", "/auth/me", { token: viewer.token })).status).toBe(200);
  });

  test.each(["by the user", "by the product"])(
    "%s names the API keys that stop, in the answer, the audit logs and mails to owners who stay",
    async (who) => {
      const owner = await signUpVerified();
      const guest = await signUpVerified();
      const invitation = { token: await invite(owner, guest.email, "developer") };
      await call("POST", "/invitations/accept", { token: guest.token, body: invitation });
      const there = await logIn(guest, PASSWORD, { tenantId: owner.tenantId });
      const newKey = async (token: string, fields: object) => {
        const body = { name: "shop", scopes: ["webhook.read"], ...fields };
        const { key, id, name, prefix } = (await call("POST", "/api-keys", { token, body })).body.data;
        return { key, shown: { id, name, prefix } };
      };
      const own = await newKey(there.token, {});
      const ofTenant = await newKey(guest.token, { name: "erp", owner: "tenant" });
      const kept = await newKey(owner.token, { name: "kept", owner: "tenant" });
      const deleted =
        who === "by the user"
          ? await deleteMe(guest, { deleteTenants: true })
          : await callAs((await newPlatformKey()).key, "", "DELETE", `/platform/users/${guest.userId}`, {
              deleteTenants: true,
            });
      expect([deleted.status, deleted.body.message]).toEqual([200, "Account deleted."]);
      expect(deleted.body.endedApiKeys).toHaveLength(2);
      expect(deleted.body.endedApiKeys).toEqual(expect.arrayContaining([own.shown, ofTenant.shown]));
      const statusOf = async ({ key }: typeof own) => (await call("GET", "/webhooks", { token: key })).status;
      expect([await statusOf(own), await statusOf(ofTenant), await statusOf(kept)]).toEqual([401, 401, 200]);
      const { data } = (await call("GET", "/audit?action=api_key.deleted", { token: owner.token })).body;
      const target = { kind: "api-key", id: own.shown.id };
      expect(data).toMatchObject([{ target, meta: { reason: "account-deleted" } }]);
      const { text } = await mailTo(owner.email, who === "by the user" ? /left your tenant/ : /removed from your/);
      expect(text).toContain(`This API key stopped working at once: shop (${own.shown.prefix}).`);
      expect(text).not.toContain("erp");
    },
  );

  test("an invitation that the user made is void", async () => {
    const owner = await signUp();
    const second = await joinTenant(owner, "admin");
    const email = newEmail();
    const invitationToken = await invite(second, email, "viewer");
    await deleteMe(second);
    const joined = call("POST", "/auth/register", { body: { email, password: PASSWORD, invitationToken } });
    expect(await codeOfAnswer(joined)).toEqual([400, "INVALID_TOKEN"]);
  });
});

describe("DELETE /tenant", () => {
  test("ends everybody's sessions and API keys in it, and leaves their accounts", async () => {
    const owner = await signUpVerified();
    const guest = await joinTenant(owner, "developer");
    const body = { name: "key", scopes: ["webhook.read"] };
    const { key } = (await call("POST", "/api-keys", { token: guest.token, body })).body.data;
    const deleted = await deleteTenant(owner);
    expect([deleted.status, deleted.body]).toEqual([200, { message: "Tenant deleted." }]);
    for (const token of [owner.token, guest.token, key]) {
      expect((await call("GET", "/webhooks", { token })).status).toBe(401);
    }
    for (const person of [owner, guest]) {
      const me = await call("GET", "/auth/me", { token: (await logIn(person)).token });
      expect([me.status, me.body.data.tenant.id === owner.tenantId]).toEqual([200, false]);
    }
  });

  test("is recorded in the user's own log", async () => {
    const owner = await signUpVerified();
    await deleteTenant(owner);
    const { token } = await logIn(owner);
    const { body } = await call("GET", "/auth/me/activity", { token });
    expect(body.data.map(({ action }: { action: string }) => action)).toContain("tenant.deleted");
  });

  test("is refused to everybody but owners", async () => {
    const owner = await signUp();
    const admin = await joinTenant(owner, "admin");
    expect(await codeOfAnswer(deleteTenant(admin))).toEqual([403, "FORBIDDEN"]);
    expect((await call("GET", "/auth/me", { token: owner.token })).status).toBe(200);
  });

  test("of ten requests at once exactly one succeeds", async () => {
    const owner = await signUp();
    const answers = await Promise.all(Array.from({ length: 10 }, () => deleteTenant(owner)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.every(({ status }) => [200, 401, 403].includes(status))).toBe(true);
  });
});

describe("step-up", () => {
  /** Somebody who signed in eleven minutes ago, which the clock says from now on. */
  async function tired(): Promise<Person> {
    vi.useFakeTimers({ toFake: ["Date"] });
    const person = await signUp();
    vi.setSystemTime(Date.now() + 11 * MINUTE_MS);
    return person;
  }

  test("is needed ten minutes after the sign-in, and lasts for ten", async () => {
    const person = await tired();
    expect(await codeOfAnswer(deleteTenant(person))).toEqual([403, "STEP_UP_REQUIRED"]);
    const confirmed = await call("POST", "/auth/step-up", { token: person.token, body: { password: PASSWORD } });
    expect([confirmed.status, confirmed.body]).toEqual([200, { message: "Confirmed." }]);
    expect((await deleteTenant(person)).status).toBe(200);
    const again = await signUp();
    vi.setSystemTime(Date.now() + 2 * MINUTE_MS);
    await call("POST", "/auth/step-up", { token: again.token, body: { password: PASSWORD } });
    vi.setSystemTime(Date.now() + 10 * MINUTE_MS);
    expect(await codeOfAnswer(deleteTenant(again))).toEqual([403, "STEP_UP_REQUIRED"]);
  });

  test("is done by a password in the request, which must be right even if none is needed", async () => {
    const person = await tired();
    expect((await deleteTenant(person, { password: PASSWORD })).status).toBe(200);
    const fresh = await signUp();
    expect(await codeOfAnswer(deleteTenant(fresh, { password: "wrong" }))).toEqual([401, "WRONG_PASSWORD"]);
  });

  test("by a code uses it up", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    const body = { totp: codeOf(secret) };
    expect((await call("POST", "/auth/step-up", { token: person.token, body })).status).toBe(200);
    const again = call("POST", "/auth/step-up", { token: person.token, body });
    expect(await codeOfAnswer(again)).toEqual([401, "INVALID_TOTP"]);
  });

  test("takes a password or a code", async () => {
    const { token } = await signUp();
    expect(await codeOfAnswer(call("POST", "/auth/step-up", { token, body: {} }))).toEqual([400, "VALIDATION_FAILED"]);
    const totp = call("POST", "/auth/step-up", { token, body: { totp: "123456" } });
    expect(await codeOfAnswer(totp)).toEqual([400, "TWO_FACTOR_NOT_ENABLED"]);
    const unsigned = call("POST", "/auth/step-up", { body: { password: PASSWORD } });
    expect(await codeOfAnswer(unsigned)).toEqual([401, "UNAUTHENTICATED"]);
  });

  test("with a recovery code is recorded and told by mail", async () => {
    const person = await signUpVerified();
    const { token } = person;
    const body = { token: codeOf(await enrol(person)) };
    const { recoveryCodes } = (await call("POST", "/auth/2fa/recovery-codes", { token, body })).body.data;
    expect((await call("POST", "/auth/step-up", { token, body: { totp: recoveryCodes[0] } })).status).toBe(200);
    const { data } = (await call("GET", "/audit?limit=2", { token })).body;
    expect(data.map(({ action }: { action: string }) => action)).toEqual(["auth.recovery_used", "auth.step_up"]);
    await mailTo(person.email, /recovery code was used/);
  });

  test.each([
    ["password", { password: "not the password" }],
    ["totp", { totp: "000000" }],
  ])("records the lock by ten wrong guesses: %s", async (factor, body) => {
    const person = await signUpVerified();
    if (factor === "totp") await enrol(person);
    const limits = { RATE_LIMITS: JSON.stringify({ stepUp: { limit: 100, windowSeconds: 60 } }) };
    const wrong = { path: "/api/v1/auth/step-up", token: person.token, body };
    for (let guess = 0; guess < 10; guess += 1) await callUnder(limits, wrong);
    const [event] = (await call("GET", "/audit?limit=1", { token: person.token })).body.data;
    expect(event).toMatchObject({ action: "auth.locked", actor: { id: person.userId }, meta: { factor } });
  });
});
