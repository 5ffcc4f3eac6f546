/** What a passkey is refused for: authenticators and pages that misbehave, and challenges that are not for it. */
import { env } from "cloudflare:workers";
import { type CBORType, decodeCBOR, encodeCBOR } from "@levischuck/tiny-cbor";
import { base64url } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Algorithm, make, show } from "../support/authenticator";
import { call, eventually, newAddress, type Person, signUpVerified } from "../support/client";
import { callUnder } from "../support/overrides";
import {
  activityOf,
  countOf,
  INVALID,
  loginBody,
  loginWith,
  MISBEHAVIOUR,
  said,
  sendLogin,
  stepUpBody,
  tryAdd,
  withPasskey,
} from "../support/passkeys";

const MINUTE_MS = 60_000;
const LIMIT = 10;

afterEach(() => void vi.useRealTimers());

function later(ms: number): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: now + ms });
}

describe("a registration is refused", () => {
  test.each(Object.entries(MISBEHAVIOUR))("with %s", async (_, wrong) => {
    const person = await signUpVerified();
    const { answer } = await tryAdd(person, wrong);
    expect(said(answer).slice(0, 2)).toEqual([400, "VALIDATION_FAILED"]);
    expect(await countOf("passkeys", person)).toBe(0);
  });

  const bytes = (length: number) => new Uint8Array(length).fill(0xab);
  test.each<[string, Algorithm, Record<number, number | Uint8Array>]>([
    ["of another algorithm than was offered", "RS256", { 3: -37 }],
    ["of ECDSA with another hash", "ES256", { 3: -35 }],
    ["of ECDSA on another curve", "ES256", { [-1]: 2 }],
    ["of RSA with less than 2,048 bits", "RS256", { [-1]: bytes(128) }],
    ["of RSA with more than 4,096 bits", "RS256", { [-1]: bytes(513) }],
    ["of RSA with a long exponent", "RS256", { [-2]: bytes(5) }],
    ["that is no point of the curve", "ES256", { [-2]: bytes(32) }],
    ["with a short coordinate", "ES256", { [-2]: bytes(31) }],
    ["of Ed25519 with a long coordinate", "EdDSA", { [-2]: bytes(33) }],
  ])("with a key %s", async (_, algorithm, cose) => {
    const person = await signUpVerified();
    const { answer } = await tryAdd(person, { algorithm, cose });
    expect(said(answer).slice(0, 2)).toEqual([400, "VALIDATION_FAILED"]);
  });

  test("with an attestation that is malformed, which does not use the challenge up", async () => {
    const person = await signUpVerified();
    const { data } = (await call("POST", "/auth/passkeys/options", { token: person.token })).body;
    const { response } = await make(data);
    const add = (attestationObject: string) => {
      const body = {
        state: data.state,
        name: "n",
        response: { ...response, response: { ...response.response, attestationObject } },
      };
      return call("POST", "/auth/passkeys", { token: person.token, body });
    };
    const good = new Uint8Array(base64url.decode(response.response.attestationObject));
    const object = decodeCBOR(good) as Map<string, CBORType>;
    const bare = (object.get("authData") as Uint8Array).slice(0, 37);
    // User present and verified, and no credential.
    bare[32] = 0b101;
    const malformed = [
      new Uint8Array([...good, 0]),
      good.slice(0, -1),
      encodeCBOR(new Map([...object, ["authData", bare]])),
      encodeCBOR(new Map([...object, ["authData", bare.slice(1)]])),
      encodeCBOR(new Map([...object, ["authData", "text"]])),
      encodeCBOR("none"),
      new Uint8Array([0xff]),
    ];
    for (const bytes of malformed) expect((await add(base64url.encode(bytes))).body.code).toBe("VALIDATION_FAILED");
    expect((await add(response.response.attestationObject)).status).toBe(201);
  });

  test("for another user's challenge, one for a login, an expired one, a used one and a passkey that is there already", async () => {
    const [person, other] = [await signUpVerified(), await signUpVerified()];
    const optionsOf = async ({ token }: Person) => (await call("POST", "/auth/passkeys/options", { token })).body.data;
    const add = (state: string, response: unknown) =>
      call("POST", "/auth/passkeys", { token: person.token, body: { state, response, name: "n" } });
    const foreign = await optionsOf(other);
    expect((await add(foreign.state, (await make(foreign)).response)).status).toBe(400);
    const own = await optionsOf(person);
    const login = (await call("POST", "/auth/passkeys/login/options")).body.data;
    const { response } = await make({ ...own, options: { ...own.options, challenge: login.options.challenge } });
    expect((await add(login.state, response)).status).toBe(400);
    expect((await add(own.state, (await make(own, { type: "webauthn.get" })).response)).status).toBe(400);
    const made = await make(own);
    expect((await add(own.state, made.response)).status).toBe(201);
    const next = await optionsOf(person);
    expect(next.options.excludeCredentials).toMatchObject([{ id: made.passkey.id }]);
    expect((await add(own.state, (await make(own)).response)).status).toBe(400);
    const again = await call("POST", "/auth/passkeys", {
      token: other.token,
      body: { state: foreign.state, response: (await make(foreign)).response, name: "n" },
    });
    expect(again.status).toBe(201);
    later(5 * MINUTE_MS);
    expect((await add(next.state, (await make(next)).response)).status).toBe(400);
    expect(await countOf("passkeys", person)).toBe(1);
  });

  test("beyond ten passkeys, also when fourteen are added at once", async () => {
    const person = await signUpVerified();
    const made = [];
    for (let index = 0; index < LIMIT + 4; index += 1) {
      const { body } = await call("POST", "/auth/passkeys/options", { token: person.token });
      made.push({ state: body.data.state, response: (await make(body.data)).response, name: `passkey ${index}` });
    }
    const answers = await Promise.all(
      made.map((body) => call("POST", "/auth/passkeys", { token: person.token, body })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
    const refused = answers.filter(({ status }) => status !== 201).map(said);
    expect(refused).toEqual(Array(4).fill([409, "CONFLICT", "A user can have at most 10 passkeys."]));
    expect(await countOf("passkeys", person)).toBe(LIMIT);
    expect((await call("POST", "/auth/passkeys/options", { token: person.token })).status).toBe(409);
  });
});

describe("a login is refused", () => {
  test.each(Object.entries(MISBEHAVIOUR))("with %s", async (_, wrong) => {
    const { person, passkey } = await withPasskey();
    expect(said(await loginWith(passkey, wrong))).toEqual(INVALID);
    expect(await countOf("sessions", person)).toBe(1);
  });

  test("with another user's passkey, with none that we know, and with a wrong signature, which the log of its account tells", async () => {
    const [{ person, passkey }, other] = [await withPasskey(), await withPasskey()];
    for (const userHandle of [other.passkey.userHandle, null]) {
      expect(said(await loginWith(passkey, { userHandle }))).toEqual(INVALID);
    }
    expect(said(await loginWith({ ...passkey, keys: other.passkey.keys }))).toEqual(INVALID);
    expect(said(await loginWith({ ...passkey, id: "bm9ib2R5cw" }))).toEqual(INVALID);
    const failures = await eventually("failed logins", async () => {
      const events = await activityOf(person, "auth.login_failed");
      return events.length === 3 && events;
    });
    expect(failures[0]).toMatchObject({ meta: { factor: "passkey" } });
    expect(await countOf("sessions", person)).toBe(1);
  });

  test("with a challenge for something else, an expired one and one that was used", async () => {
    const { person, passkey } = await withPasskey();
    const forStepUp = (await stepUpBody(person, passkey)).passkey;
    expect(said(await sendLogin(forStepUp))).toEqual(INVALID);
    expect(said(await loginWith(passkey, { type: "webauthn.create" }))).toEqual(INVALID);
    const used = await loginBody(passkey);
    expect((await sendLogin(used)).status).toBe(200);
    expect(said(await sendLogin(used))).toEqual(INVALID);
    expect(said(await sendLogin({ ...used, state: ` ${used.state}` }))).toEqual(INVALID);
    const { body } = await call("POST", "/auth/passkeys/login/options");
    const otherAnswer = { state: body.data.state, response: used.response };
    expect(said(await sendLogin(otherAnswer))).toEqual(INVALID);
    const late = await loginBody(passkey);
    later(5 * MINUTE_MS);
    expect(said(await sendLogin(late))).toEqual(INVALID);
  });

  test("of 20 parallel ones with one answer, all but one, which opens the only session", async () => {
    const { person, passkey } = await withPasskey();
    const body = await loginBody(passkey);
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendLogin(body)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
    expect(await countOf("sessions", person)).toBe(2);
  });

  test("with a counter that has not gone up, but not from an authenticator that does not count", async () => {
    const { passkey } = await withPasskey();
    expect((await loginWith(passkey)).status).toBe(200);
    expect((await loginWith(passkey, { counter: 7 })).status).toBe(200);
    for (const counter of [7, 6, 1, 0]) expect(said(await loginWith(passkey, { counter }))).toEqual(INVALID);
    expect((await loginWith(passkey, { counter: 8 })).status).toBe(200);
  });

  test("with a body that is not an answer, as 400", async () => {
    const { passkey } = await withPasskey();
    const good = await loginBody(passkey);
    const bad = [
      {},
      { ...good, state: "" },
      { ...good, response: null },
      { ...good, response: { ...good.response, id: "not base64url!" } },
      { ...good, response: { ...good.response, id: "A".repeat(1365) } },
      { ...good, response: { ...good.response, type: "password" } },
      { ...good, response: { ...good.response, response: {} } },
    ];
    for (const body of bad) expect((await sendLogin(body)).body.code).toBe("VALIDATION_FAILED");
    const { response } = good.response;
    const malformed = { clientDataJSON: "e30", authenticatorData: "AA", signature: "MAA" };
    for (const [name, value] of Object.entries(malformed)) {
      const body = { ...good, response: { ...good.response, response: { ...response, [name]: value } } };
      expect(said(await sendLogin(body))).toEqual(INVALID);
    }
    expect((await sendLogin(good)).status).toBe(200);
  });
});

describe("a step-up", () => {
  test("is refused for the user handle of somebody else, though the passkey is the user's", async () => {
    const { person, passkey } = await withPasskey();
    const body = await stepUpBody(person, passkey, { userHandle: "c29tZWJvZHkgZWxzZQ" });
    expect((await call("POST", "/auth/step-up", { token: person.token, body })).status).toBe(400);
  });

  test("is refused with a challenge for a registration, as a registration is with one for a step-up", async () => {
    const { person, passkey } = await withPasskey();
    const { token } = person;
    const creation = (await call("POST", "/auth/passkeys/options", { token })).body.data;
    const { state, options } = (await call("POST", "/auth/step-up/options", { token })).body.data;
    const { challenge } = creation.options;
    const shown = {
      state: creation.state,
      response: await show({ ...creation, options: { ...options, challenge } }, passkey),
    };
    expect(said(await call("POST", "/auth/step-up", { token, body: { passkey: shown } }))[0]).toBe(400);
    const { response } = await make({ ...creation, options: { ...creation.options, challenge: options.challenge } });
    expect(said(await call("POST", "/auth/passkeys", { token, body: { state, response, name: "n" } }))[0]).toBe(400);
  });

  test.each(Object.entries(MISBEHAVIOUR))("is refused with %s", async (_, wrong) => {
    const { person, passkey } = await withPasskey();
    const body = await stepUpBody(person, passkey, wrong);
    expect((await call("POST", "/auth/step-up", { token: person.token, body })).body.code).toBe("VALIDATION_FAILED");
  });
});

test("an answer to a login that was made for another challenge of ours is refused even while that one is unused", async () => {
  const { passkey } = await withPasskey();
  const [one, two] = [await loginBody(passkey), await loginBody(passkey)];
  expect(said(await sendLogin({ state: one.state, response: two.response }))).toEqual(INVALID);
  const { body } = await call("POST", "/auth/passkeys/login/options");
  expect((await sendLogin({ state: body.data.state, response: await show(body.data, passkey) })).status).toBe(200);
});

test("the write that opens a session refuses a passkey that has come to belong to somebody else", async () => {
  const [{ person, passkey }, { userId }] = [await withPasskey(), await signUpVerified()];
  const body = await loginBody(passkey);
  let batches = 0;
  const database = {
    prepare: env.DB.prepare.bind(env.DB),
    // The first batch reads the passkey, the second one opens the session.
    async batch(statements: D1PreparedStatement[]) {
      batches += 1;
      if (batches === 2)
        await env.DB.prepare("UPDATE passkeys SET user_id = ? WHERE id = ?").bind(userId, passkey.id).run();
      return env.DB.batch(statements);
    },
  };
  const answer = await callUnder({ DB: database }, { path: "/api/v1/auth/passkeys/login", body, ip: newAddress() });
  expect(said(answer)).toEqual(INVALID);
  expect(batches).toBeGreaterThan(1);
  expect([await countOf("sessions", person), await countOf("sessions", { userId })]).toEqual([1, 1]);
});
