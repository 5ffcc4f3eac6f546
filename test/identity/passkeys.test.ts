/** Passkeys: adding, using and removing them. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { type Algorithm, make } from "../support/authenticator";
import { call, eventually, logIn, newAddress, type Person, signUp, signUpVerified, verify } from "../support/client";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";
import {
  activityOf,
  addPasskey,
  countOf,
  INVALID,
  loginBody,
  loginWith,
  said,
  sendLogin,
  stepUpBody,
  tryAdd,
  unverify,
  withPasskey,
} from "../support/passkeys";
import { joinTenant } from "../support/people";
import { enrol } from "../support/two-factor";

const MINUTE_MS = 60_000;

const get = (person: Person, path: string) => call("GET", path, { token: person.token });
describe("a passkey", () => {
  test.each<Algorithm>(["EdDSA", "ES256", "RS256"])("of %s signs its user in, once it is added", async (algorithm) => {
    const person = await signUpVerified();
    const { passkey, answer } = await tryAdd(person, { algorithm, name: "  Ada's phone " });
    expect([answer.status, answer.body.data]).toMatchObject([
      201,
      { id: passkey.id, name: "Ada's phone", transports: ["internal"], backedUp: false, lastUsedAt: null },
    ]);
    const forged = await loginBody(passkey);
    for (const signature of ["MAA", "A".repeat(86), "A".repeat(342)]) {
      forged.response.response.signature = signature;
      expect(said(await sendLogin(forged))).toEqual(INVALID);
    }
    const { status, body } = await loginWith(passkey);
    expect(status).toBe(200);
    const me = await call("GET", "/auth/me", { token: body.data.accessToken });
    expect(me.body.data).toMatchObject({ id: person.userId, tenant: { id: person.tenantId } });
    const refreshed = await call("POST", "/auth/refresh", { body: { refreshToken: body.data.refreshToken } });
    expect(refreshed.status).toBe(200);
    const [listed] = (await get(person, "/auth/passkeys")).body.data;
    expect(Date.parse(listed.lastUsedAt)).toBeGreaterThan(Date.now() - MINUTE_MS);
    expect(await activityOf(person, "auth.login")).toMatchObject([{ meta: { method: "passkey" } }]);
  });

  test("counts as two factors, and opens the tenant that was asked for or used last", async () => {
    const { person: host } = await withPasskey();
    const guest = await joinTenant(host, "viewer");
    const passkey = await addPasskey(guest);
    await enrol(guest);
    const own = await signUpVerified();
    expect((await loginWith(passkey, { tenantId: guest.tenantId })).status).toBe(200);
    expect(said(await loginWith(passkey, { tenantId: own.tenantId })).slice(0, 2)).toEqual([404, "NOT_FOUND"]);
    expect((await loginWith(passkey)).status).toBe(200);
  });

  test("does not sign in to an account whose address is unverified, and is not bound by the lock of the password", async () => {
    const { person, passkey } = await withPasskey();
    await unverify(person);
    expect((await loginWith(passkey)).body.code).toBe("EMAIL_NOT_VERIFIED");
    const verified = await logIn(person);
    for (let guess = 0; guess < 10; guess += 1) {
      await call("POST", "/auth/login", { body: { email: person.email, password: `wrong ${guess}` } });
    }
    const locked = await call("POST", "/auth/login", { body: { email: person.email, password: "wrong" } });
    expect(locked.status).toBe(423);
    expect((await loginWith(passkey)).status).toBe(200);
    expect((await get(verified, "/auth/passkeys")).body.data).toHaveLength(1);
  });

  test("is listed, renamed and removed by its user only, and is in their export", async () => {
    const { person, passkey } = await withPasskey();
    const stranger = await signUpVerified();
    const path = `/auth/passkeys/${passkey.id}`;
    const rename = (by: Person, name: string) => call("PATCH", path, { token: by.token, body: { name } });
    expect((await get(stranger, "/auth/passkeys")).body.data).toEqual([]);
    expect((await rename(stranger, "mine")).status).toBe(404);
    expect((await call("DELETE", path, { token: stranger.token })).status).toBe(404);
    for (const name of ["", " ", "x".repeat(65), "two\nlines"]) expect((await rename(person, name)).status).toBe(400);
    expect((await rename(person, "x".repeat(64))).body).toEqual({ message: "Passkey renamed." });
    const [listed] = (await get(person, "/auth/passkeys")).body.data;
    expect(listed).toMatchObject({ id: passkey.id, name: "x".repeat(64) });
    expect((await get(person, "/auth/me/export")).body.data.passkeys).toEqual([listed]);
    expect((await call("DELETE", path, { token: person.token })).body).toEqual({ message: "Passkey removed." });
    await mailTo(person.email, /passkey was removed/);
    expect(await activityOf(person, "auth.passkey_added")).toHaveLength(1);
    expect(await activityOf(person, "auth.passkey_removed")).toHaveLength(1);
    expect(said(await loginWith(passkey))).toEqual(INVALID);
    expect((await call("DELETE", path, { token: person.token })).status).toBe(404);
  });

  test("cannot be added or removed by a session that was opened or confirmed more than ten minutes ago", async () => {
    const { person, passkey } = await withPasskey();
    const { body } = await call("POST", "/auth/passkeys/options", { token: person.token });
    const { response } = await make(body.data);
    await env.DB.prepare("UPDATE sessions SET created_at = created_at - ? WHERE user_id = ?")
      .bind(10 * MINUTE_MS, person.userId)
      .run();
    const calls = [
      () => call("POST", "/auth/passkeys/options", { token: person.token }),
      () =>
        call("POST", "/auth/passkeys", { token: person.token, body: { state: body.data.state, response, name: "n" } }),
      () => call("DELETE", `/auth/passkeys/${passkey.id}`, { token: person.token }),
    ];
    for (const attempt of calls) expect(said(await attempt()).slice(0, 2)).toEqual([403, "STEP_UP_REQUIRED"]);
    const confirmed = await call("POST", "/auth/step-up", {
      token: person.token,
      body: await stepUpBody(person, passkey),
    });
    expect([confirmed.status, confirmed.body]).toEqual([200, { message: "Confirmed." }]);
    for (const attempt of calls) expect((await attempt()).status).toBeLessThan(300);
  });
});

test("the options for a login are the same for everybody, and come from APP_URL, whatever the Host header says", async () => {
  const headers = { host: "evil.example", origin: "https://evil.example" };
  const [first, second] = [
    await call("POST", "/auth/passkeys/login/options", { headers }),
    await call("POST", "/auth/passkeys/login/options", { body: { email: (await signUp()).email } }),
  ];
  const { challenge, ...rest } = first.body.data.options;
  expect(rest).toEqual({ rpId: "localhost", timeout: 300_000, allowCredentials: [], userVerification: "required" });
  expect({ ...second.body.data.options, challenge }).toEqual(first.body.data.options);
  expect(second.body.data.options.challenge).not.toBe(challenge);
});

describe("a step-up", () => {
  test("takes the user's own passkey once, and nobody else's", async () => {
    const [{ person, passkey }, other] = [await withPasskey(), await withPasskey()];
    const stepUp = (body: unknown) => call("POST", "/auth/step-up", { token: person.token, body });
    const refused = [400, "VALIDATION_FAILED"];
    expect(said(await stepUp(await stepUpBody(person, other.passkey))).slice(0, 2)).toEqual(refused);
    expect(said(await stepUp(await stepUpBody(other.person, passkey))).slice(0, 2)).toEqual(refused);
    expect(said(await stepUp({ passkey: await loginBody(passkey) })).slice(0, 2)).toEqual(refused);
  });
});

test("of parallel step-ups with one answer, one confirms the session", async () => {
  const { person, passkey } = await withPasskey();
  const body = await stepUpBody(person, passkey, { userHandle: null });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => call("POST", "/auth/step-up", { token: person.token, body })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
  expect(await activityOf(person, "auth.step_up")).toHaveLength(1);
  const none = await signUp();
  const options = await call("POST", "/auth/step-up/options", { token: none.token });
  expect(said(options)).toEqual([409, "CONFLICT", "You have no passkey."]);
});

const report = async (token: string) => {
  const headers = { "cf-connecting-ip": newAddress() };
  expect((await call("POST", "/auth/not-me", { body: { token }, headers })).status).toBe(200);
};

describe("what a thief has left is undone", () => {
  test("by the link in the mail about a passkey that was added, with every one added since", async () => {
    const { person: owner, passkey: own } = await withPasskey();
    await env.DB.prepare("UPDATE passkeys SET created_at = created_at - 1000 WHERE id = ?").bind(own.id).run();
    const thief = owner;
    const added = [await tryAdd(thief, { name: "First" }), await tryAdd(thief, { name: "Second" })];
    // Its notice can be of the next millisecond.
    await env.DB.prepare("UPDATE passkeys SET created_at = created_at - 1 WHERE user_id = ? AND name = 'First'")
      .bind(thief.userId)
      .run();
    const mail = await eventually("the mail about the first one", async () =>
      mailsTo(owner.email).find(({ text }) => text.includes('A passkey named "First" was added')),
    );
    await report(tokenIn(mail));
    expect(await countOf("sessions", owner)).toBe(0);
    for (const { passkey } of added) expect(said(await loginWith(passkey))).toEqual(INVALID);
    expect((await loginWith(own)).status).toBe(200);
  });

  test("by the link about a sign-in from a new device, with the passkey that it was made with", async () => {
    const { person, passkey } = await withPasskey();
    const spare = await addPasskey(person);
    const headers = { "cf-connecting-ip": newAddress(), "user-agent": "Opera/9.80 (Windows NT 6.1)" };
    const { status } = await call("POST", "/auth/passkeys/login", { body: await loginBody(passkey), headers });
    expect(status).toBe(200);
    await env.DB.prepare("UPDATE passkeys SET created_at = created_at - 1000 WHERE user_id = ?")
      .bind(person.userId)
      .run();
    const token = tokenIn(await mailTo(person.email, /New sign-in/));
    await report(token);
    expect(said(await loginWith(passkey))).toEqual(INVALID);
    expect((await loginWith(spare)).status).toBe(200);
  });

  test("by the owner of the address, when somebody else has registered it", async () => {
    const { person: squatter, passkey } = await withPasskey();
    await unverify(squatter);
    await report(tokenIn(await mailTo(squatter.email, /Verify/)));
    await eventually("the mail that says what has ended", async () =>
      mailsTo(squatter.email).some(({ text }) => /ended 1 session, 1 passkey\b/.test(text)),
    );
    await verify(squatter.email);
    expect(said(await loginWith(passkey))).toEqual(INVALID);
    expect(await countOf("passkeys", squatter)).toBe(0);
  });
});
