/** Login with a code from a mail: what a code is bound to, how often it can be tried, and what it leaves to others. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { noteFirstKey } from "../../src/base/db/first-keys-store";
import { newIdAt } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import { mailCode } from "../../src/identity/email-codes/code";
import { openState, sealState } from "../../src/identity/email-codes/state";
import { call, eventually, logIn, newAddress, newEmail, type Person, signUp, signUpVerified } from "../support/client";
import { codeIn, mailsTo, mailTo } from "../support/mailbox";
import { callUnder } from "../support/overrides";
import { joinTenant } from "../support/people";
import { codeOf, enrol } from "../support/two-factor";

const MINUTE_MS = 60_000;
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

afterEach(() => void vi.useRealTimers());

/** Each from an address of its own, for the limits per IP are not what is tested here. */
const elsewhere = () => ({ "cf-connecting-ip": newAddress() });
const ask = (email: string) => call("POST", "/auth/code", { body: { email }, headers: elsewhere() });
const enter = (state: string, code: string, fields: object = {}) =>
  call("POST", "/auth/code/verify", { body: { state, code, ...fields }, headers: elsewhere() });

const codeMails = (email: string) => mailsTo(email).filter(({ subject }) => subject === "Your sign-in code");

async function asked(email: string): Promise<{ state: string; code: string }> {
  const before = codeMails(email).length;
  const { state } = (await ask(email)).body.data;
  const mail = await eventually("the mail with the code", async () => codeMails(email)[before]);
  return { state, code: codeIn(mail) };
}

/** Another code than the right one. */
const wrongOf = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, "0");

const sessionsOf = async ({ userId }: Pick<Person, "userId">) =>
  (await env.DB.prepare("SELECT count(*) AS n FROM sessions WHERE user_id = ?").bind(userId).first<{ n: number }>())?.n;

const refusal = (answer: { status: number; body: { code: string } }) => [answer.status, answer.body.code];
const INVALID = [401, "INVALID_CODE"];

describe("a code", () => {
  test("opens a session once, in the tenant that is asked for, and the audit log names the method", async () => {
    const person = await signUpVerified();
    const host = await signUpVerified();
    const { state, code } = await asked(person.email);
    expect(refusal(await enter(state, code, { tenantId: host.tenantId }))).toEqual([404, "NOT_FOUND"]);
    const { status, body } = await enter(state, ` ${code.slice(0, 3)} ${code.slice(3)} `, {
      tenantId: person.tenantId,
    });
    expect([status, Object.keys(body.data).sort()]).toEqual([200, ["accessToken", "refreshToken"]]);
    const token = body.data.accessToken;
    expect((await call("GET", "/auth/me", { token })).body.data.tenant.id).toBe(person.tenantId);
    expect(refusal(await enter(state, code))).toEqual(INVALID);
    const [login] = (await call("GET", "/audit", { token })).body.data;
    expect(login).toMatchObject({ action: "auth.login", meta: { method: "code", factor: null } });
  });

  test("that is wrong is answered for a known address as for an unknown one, which gets no mail", async () => {
    const known = await signUpVerified();
    const nobody = newEmail();
    const answers = [];
    for (const email of [known.email, nobody]) {
      const { status, body } = await ask(email);
      expect([status, Object.keys(body)]).toEqual([200, ["data"]]);
      expect(Object.keys(body.data)).toEqual(["state"]);
      const { body: refused, status: refusedWith } = await enter(body.data.state, "not a code");
      answers.push([refusedWith, refused.code, refused.message, body.data.state.length - email.length]);
    }
    expect(answers[0]?.slice(0, 3)).toEqual([...INVALID, "Invalid or expired code."]);
    expect(answers[1]?.slice(0, 3)).toEqual(answers[0]?.slice(0, 3));
    await mailTo(known.email, /sign-in code/);
    expect(mailsTo(nobody)).toEqual([]);
    await eventually("the failed login is recorded", async () => {
      const { body } = await call("GET", "/audit?action=auth.login_failed", { token: known.token });
      return body.data[0]?.meta.factor === "code";
    });
  });

  test("is right only with the state of the device that asked for it", async () => {
    const { email } = await signUpVerified();
    const [first, second] = [await asked(email), await asked(email)];
    expect(refusal(await enter(first.state, second.code))).toEqual(INVALID);
    expect(refusal(await enter(`${second.state.slice(0, -8)}AAAAAAA=`, second.code))).toEqual(INVALID);
    expect(refusal(await enter("x", second.code))).toEqual(INVALID);
    expect((await enter(second.state, second.code)).status).toBe(200);
    expect((await enter(first.state, first.code)).status).toBe(200);
  });

  test("works for ten minutes, also while SECRET_KEYS is rotated", async () => {
    const { email } = await signUpVerified();
    const began = Date.now();
    const { state, code } = await asked(email);
    await noteFirstKey(await createDeps(env, createExecutionContext()));
    const rotated = {
      SECRET_KEYS: `c144a6f37bd358f8df12faaf2e78ad96b13e71b7e6a84620ff2cae9efdf58d3b,${env.SECRET_KEYS}`,
    };
    const late = await asked(email);
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: began + 10 * MINUTE_MS - 1 });
    const request = { path: "/api/v1/auth/code/verify", body: { state, code }, ip: newAddress() };
    expect((await callUnder(rotated, request)).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: now + 10 * MINUTE_MS });
    expect(refusal(await enter(late.state, late.code))).toEqual(INVALID);
  });

  test("made with a key that has not been the first one for 15 minutes opens nothing", async () => {
    const { email } = await signUpVerified();
    const leaked = "5f0f4b3e6d2c1a9788776655443322110f1e2d3c4b5a69788796a5b4c3d2e1f0";
    const depsOfLeak = await createDeps({ ...env, SECRET_KEYS: leaked }, createExecutionContext());
    const mailId = newIdAt(Date.now());
    const forged = {
      state: await sealState(depsOfLeak, { mailId, email, isMailed: true }),
      code: await mailCode(depsOfLeak.keys, mailId),
    };
    const withOldKey = { SECRET_KEYS: `${env.SECRET_KEYS},${leaked}` };
    const request = { path: "/api/v1/auth/code/verify", body: forged, ip: newAddress() };
    expect(refusal(await callUnder(withOldKey, request))).toEqual(INVALID);
    await noteFirstKey(depsOfLeak);
    await env.DB.prepare("UPDATE first_keys SET last_first_at = ? WHERE id = ?")
      .bind(Date.now() - 15 * MINUTE_MS, depsOfLeak.keys[0].id)
      .run();
    expect(refusal(await callUnder(withOldKey, request))).toEqual(INVALID);
    await noteFirstKey(depsOfLeak);
    expect((await callUnder(withOldKey, request)).status).toBe(200);
  });

  test("is mailed with the browser, the place and the IP address of whoever asked for it", async () => {
    const { email } = await signUpVerified();
    const headers = { "cf-connecting-ip": "198.51.100.7", "user-agent": FIREFOX };
    await call("POST", "/auth/code", { body: { email }, headers });
    const { text } = await mailTo(email, /sign-in code/);
    expect(text).toContain("It was asked for with Firefox on Linux");
    expect(text).toContain("from the IP address 198.51.100.7");
  });

  test("is not mailed a fourth time in 15 minutes, and the state of the fourth is worth nothing", async () => {
    const { email } = await signUpVerified();
    for (let mails = 0; mails < 3; mails += 1) await asked(email);
    const { status, body } = await ask(email);
    expect(status).toBe(200);
    const deps = await createDeps(env, createExecutionContext());
    const opened = await openState(deps, body.data.state);
    const code = await mailCode(deps.keys, opened?.mailId ?? "");
    expect(refusal(await enter(body.data.state, code))).toEqual(INVALID);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 15 * MINUTE_MS });
    const again = await asked(email);
    expect((await enter(again.state, again.code)).status).toBe(200);
    expect(codeMails(email)).toHaveLength(4);
  });
});

describe("of parallel tries", () => {
  test("50 wrong ones are checked five times, and then the right one is refused", async () => {
    const { email } = await signUpVerified();
    const { state, code } = await asked(email);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => enter(state, wrongOf(code, n + 1))));
    const [checked, locked] = [
      answers.filter(({ status }) => status === 401),
      answers.filter(({ status }) => status === 423),
    ];
    expect([checked.length, locked.length]).toEqual([10, 40]);
    const opened = await openState(await createDeps(env, createExecutionContext()), state);
    const row = await env.DB.prepare("SELECT tries FROM mail_codes WHERE id = ?").bind(opened?.mailId).first();
    expect(row).toEqual({ tries: 5 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 16 * MINUTE_MS });
    expect(refusal(await enter(state, code))).toEqual(INVALID);
  });

  test("ten wrong ones lock codes for 15 minutes, and nothing else, and the owner is told", async () => {
    const person = await signUpVerified();
    const [first, second, third] = [await asked(person.email), await asked(person.email), await asked(person.email)];
    for (const { state, code } of [first, second]) {
      await Promise.all([1, 2, 3, 4, 5].map((by) => enter(state, wrongOf(code, by))));
    }
    const refused = await enter(third.state, third.code);
    expect([refusal(refused), refused.headers.has("retry-after")]).toEqual([[423, "ACCOUNT_LOCKED"], true]);
    const mailCodeOfThird = { state: third.state, code: third.code };
    const stepUp = await call("POST", "/auth/step-up", { token: person.token, body: { mailCode: mailCodeOfThird } });
    expect(refusal(stepUp)).toEqual([423, "ACCOUNT_LOCKED"]);
    await logIn(person);
    await mailTo(person.email, /guessing your sign-in codes/);
    await eventually("the lock is recorded", async () => {
      const { body } = await call("GET", "/audit?action=auth.locked", { token: person.token });
      return body.data[0]?.meta.factor === "code";
    });
  });

  test("four wrong ones leave the right one its use", async () => {
    const { email } = await signUpVerified();
    const { state, code } = await asked(email);
    await Promise.all([1, 2, 3, 4].map((by) => enter(state, wrongOf(code, by))));
    expect((await enter(state, code)).status).toBe(200);
  });

  test("20 right ones open exactly one session", async () => {
    const person = await signUpVerified();
    const { state, code } = await asked(person.email);
    const answers = await Promise.all(Array.from({ length: 20 }, () => enter(state, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "INVALID_CODE")).toHaveLength(19);
    expect(await sessionsOf(person)).toBe(2);
  });
});

describe("the second factor", () => {
  test("is asked for, and neither its lack nor a wrong one uses the code up", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    const { state, code } = await asked(person.email);
    expect(refusal(await enter(state, wrongOf(code), { totp: codeOf(secret) }))).toEqual(INVALID);
    for (let again = 0; again < 6; again += 1) {
      expect(refusal(await enter(state, code))).toEqual([403, "TOTP_REQUIRED"]);
    }
    expect(refusal(await enter(state, code, { totp: "000000" }))).toEqual([401, "INVALID_TOTP"]);
    expect((await enter(state, code, { totp: codeOf(secret) })).status).toBe(200);
    expect(refusal(await enter(state, code, { totp: codeOf(secret, 1) }))).toEqual(INVALID);
  });

  test("and the code are not bound by the lock of the password, but by that of the second factor", async () => {
    const person = await signUpVerified();
    const secret = await enrol(person);
    const guess = (fields: object) =>
      call("POST", "/auth/login", {
        body: { email: person.email, password: "wrong", ...fields },
        headers: elsewhere(),
      });
    await Promise.all(Array.from({ length: 10 }, () => guess({})));
    expect((await guess({})).status).toBe(423);
    const first = await asked(person.email);
    expect((await enter(first.state, first.code, { totp: codeOf(secret) })).status).toBe(200);
    const second = await asked(person.email);
    const wrong = Array.from({ length: 10 }, () => enter(second.state, second.code, { totp: "000000" }));
    expect((await Promise.all(wrong)).map(refusal)).toEqual(Array(10).fill([401, "INVALID_TOTP"]));
    expect(refusal(await enter(second.state, second.code, { totp: codeOf(secret, 1) }))).toEqual([
      423,
      "ACCOUNT_LOCKED",
    ]);
  });
});

describe("a signed-in user", () => {
  const confirm = (token: string, mailed: object) =>
    call("POST", "/auth/step-up", { token, body: { mailCode: mailed }, headers: elsewhere() });

  test("confirms the session with a code from their own mailbox, once", async () => {
    const [person, other] = [await signUpVerified(), await signUpVerified()];
    await env.DB.prepare("UPDATE sessions SET created_at = 1 WHERE user_id = ?").bind(person.userId).run();
    const foreign = await asked(other.email);
    expect(refusal(await confirm(person.token, foreign))).toEqual(INVALID);
    const own = await asked(person.email);
    expect(refusal(await confirm(person.token, { ...own, code: wrongOf(own.code) }))).toEqual(INVALID);
    const answers = await Promise.all(Array.from({ length: 5 }, () => confirm(person.token, own)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    expect(refusal(await enter(own.state, own.code))).toEqual(INVALID);
    const guest = await joinTenant(person, "viewer");
    const promoted = await call("PATCH", `/members/${guest.userId}`, { token: person.token, body: { role: "owner" } });
    expect(promoted.status).toBe(200);
  });
});

test("MAIL_CODE=off: neither route exists", async () => {
  for (const path of ["/api/v1/auth/code", "/api/v1/auth/code/verify"]) {
    const { status, body } = await callUnder({ MAIL_CODE: "off" }, { path });
    expect([status, body.message]).toEqual([404, "Route not found"]);
  }
});

test("an account without a password signs in with a code, and stays without one", async () => {
  const person = await signUpVerified();
  await env.DB.prepare("UPDATE users SET password_hash = '' WHERE id = ?").bind(person.userId).run();
  const { state, code } = await asked(person.email);
  expect((await enter(state, code)).status).toBe(200);
  await expect(logIn(await signUp(), "")).rejects.toThrow(/400/);
});
