/** A sign-in from a browser and place that was not seen in 90 days is announced by mail. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, eventually, newEmail, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { visit } from "../support/console";
import {
  announced,
  type From,
  known,
  NEWER_FIREFOX,
  post,
  registeredFrom,
  SAFARI,
  setLastSeen,
  signIn,
} from "../support/devices";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";
import { invite } from "../support/people";
import { codeOf, enrol } from "../support/two-factor";

const DAY_MS = 24 * 3_600_000;
const LISBON = { city: "Lisbon", country: "PT", regionCode: "11" } as const;
const NEW_SIGN_IN = /New sign-in/;

const noticesTo = ({ email }: { email: string }) =>
  mailsTo(email).filter(({ subject }) => NEW_SIGN_IN.test(subject)).length;

describe("a device is new", () => {
  test.each<[string, From, From, number]>([
    ["the same browser and place: known", {}, {}, 0],
    ["a newer version of the browser: known", {}, { userAgent: NEWER_FIREFOX }, 0],
    ["another browser and system: new", {}, { userAgent: SAFARI }, 1],
    ["another address of one IPv4 network: known", {}, { ip: "192.0.2.200" }, 0],
    ["another IPv4 network: new", {}, { ip: "192.0.3.1" }, 1],
    ["another address of one IPv6 network: known", { ip: "2001:db8:1:1::1" }, { ip: "2001:db8:1:2::1" }, 0],
    ["another IPv6 network: new", { ip: "2001:db8:1::1" }, { ip: "2001:db8:2::1" }, 1],
    [
      "another address and city of one region: known",
      { cf: LISBON },
      { cf: { ...LISBON, city: "Sintra" }, ip: "203.0.113.1" },
      0,
    ],
    ["another region: new", { cf: LISBON }, { cf: { ...LISBON, regionCode: "13" } }, 1],
    ["another country: new", { cf: LISBON }, { cf: { country: "FR" } }, 1],
  ])("%s", async (_what, registered, signedIn, count) => {
    const person = await registeredFrom(registered);
    expect((await signIn(person, signedIn)).status).toBe(200);
    expect((await signIn(person, signedIn)).status).toBe(200);
    expect(await announced(person)).toBe(count);
  });

  test("90 days after its last sign-in, and not before", async () => {
    const person = await registeredFrom();
    await setLastSeen(person, Date.now() - 90 * DAY_MS + 60_000);
    await signIn(person);
    expect(await announced(person)).toBe(0);
    await setLastSeen(person, Date.now() - 90 * DAY_MS);
    await signIn(person);
    expect(await announced(person)).toBe(1);
    await mailTo(person.email, NEW_SIGN_IN);
  });

  test("to others who use it", async () => {
    const [one, other] = [await registeredFrom(), await registeredFrom({ userAgent: SAFARI })];
    expect((await signIn(other)).status).toBe(200);
    expect([await announced(one), await announced(other)]).toEqual([0, 1]);
    const keys = [...(await known(one)), ...(await known(other))].map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  });
});

describe("the notice", () => {
  test("says when, with what and from where, and how to undo it, in text and HTML", async () => {
    const person = await registeredFrom();
    await signIn(person, { userAgent: SAFARI, ip: "203.0.113.9", cf: LISBON });
    const { text, html } = await mailTo(person.email, NEW_SIGN_IN);
    for (const part of [
      "Safari on iOS",
      "Lisbon, PT",
      "203.0.113.9",
      " UTC",
      "If this was not you",
      "/not-me?token=",
    ]) {
      expect(text).toContain(part);
      expect(html).toContain(part);
    }
  });

  test("does not repeat the name that a client gives itself", async () => {
    const person = await registeredFrom();
    await signIn(person, { userAgent: "Buy-at-evil.example/1.0 (http://evil.example)" });
    const { text, html } = await mailTo(person.email, NEW_SIGN_IN);
    expect(text).toContain("an unknown device");
    expect(text + html).not.toContain("evil");
  });

  test("is sent once for 10 parallel sign-ins from one device", async () => {
    const person = await registeredFrom();
    const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(person, { userAgent: SAFARI })));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await announced(person)).toBe(1);
    await mailTo(person.email, NEW_SIGN_IN);
    await call("POST", "/auth/forgot-password", { body: { email: person.email } });
    await mailTo(person.email, /Reset/);
    expect(noticesTo(person)).toBe(1);
  });

  test("does not come to an address more often than its limit allows", async () => {
    const person = await registeredFrom();
    for (let network = 1; network <= 12; network++) await signIn(person, { ip: `198.18.${network}.1` });
    expect(await announced(person)).toBe(12);
    await call("POST", "/auth/forgot-password", { body: { email: person.email } });
    await mailTo(person.email, /Reset/);
    expect(noticesTo(person)).toBe(10);
  });

  test("has a link that ends the session and the password, forgets the device and sends a reset link", async () => {
    const person = await registeredFrom();
    const thief = { userAgent: SAFARI, ip: "203.0.113.9" };
    const { accessToken, refreshToken } = (await signIn(person, thief)).body.data;
    const token = tokenIn(await mailTo(person.email, NEW_SIGN_IN));
    const browser = visit();
    expect((await browser.get(`/not-me?token=${token}`)).html).toContain(
      "Your password becomes invalid, and the passkey or provider if one was used is removed.",
    );
    expect((await call("GET", "/auth/me", { token: accessToken })).status).toBe(200);
    expect((await browser.post("/not-me", { token })).status).toBe(200);
    expect((await call("GET", "/auth/me", { token: accessToken })).status).toBe(401);
    expect((await call("POST", "/auth/refresh", { body: { refreshToken } })).status).toBe(401);
    expect((await signIn(person, thief)).status).toBe(401);
    const reset = tokenIn(await mailTo(person.email, /Reset/));
    await call("POST", "/auth/reset-password", { body: { token: reset, newPassword: PASSWORD } });
    expect((await signIn(person)).status).toBe(200);
    expect(await announced(person)).toBe(0);
    expect((await signIn(person, thief)).status).toBe(200);
    expect(await announced(person)).toBe(1);
  });

  test("has a link that a password reset voids, for it would void the new password", async () => {
    const person = await registeredFrom();
    await signIn(person, { userAgent: SAFARI });
    const token = tokenIn(await mailTo(person.email, NEW_SIGN_IN));
    await call("POST", "/auth/forgot-password", { body: { email: person.email } });
    const reset = tokenIn(await mailTo(person.email, /Reset/));
    await call("POST", "/auth/reset-password", { body: { token: reset, newPassword: PASSWORD } });
    expect((await call("POST", "/auth/not-me", { body: { token } })).body.code).toBe("INVALID_TOKEN");
    expect((await signIn(person)).status).toBe(200);
  });
});

describe("nobody is told of", () => {
  test("a registration, with or without an invitation, whose device is known from then on", async () => {
    const owner = await signUpVerified();
    const email = newEmail();
    const invitationToken = await invite(owner, email, "viewer");
    const { body } = await post("/auth/register", { email, password: PASSWORD, invitationToken });
    const { id: userId } = (await call("GET", "/auth/me", { token: body.data.accessToken })).body.data;
    const guest = { email, userId };
    for (const person of [await registeredFrom(), guest]) {
      expect(await known(person)).toHaveLength(1);
      expect((await signIn(person)).status).toBe(200);
      expect(await announced(person)).toBe(0);
    }
  });

  test("a sign-in that fails, which stores nothing: a wrong password, no code, a wrong one, an unverified address", async () => {
    const person = await signUpVerified();
    const before = await known(person);
    expect((await signIn(person, { userAgent: SAFARI }, { password: "not the password" })).status).toBe(401);
    const secret = await enrol(person);
    expect((await signIn(person, { userAgent: SAFARI })).body.code).toBe("TOTP_REQUIRED");
    expect((await signIn(person, { userAgent: SAFARI }, { totp: "000000" })).body.code).toBe("INVALID_TOTP");
    expect([await announced(person), await known(person)]).toEqual([0, before]);
    expect((await signIn(person, { userAgent: SAFARI }, { totp: codeOf(secret, 1) })).status).toBe(200);
    expect([await announced(person), (await known(person)).length]).toEqual([1, before.length + 1]);

    const unverified: Person = await signUp();
    expect((await signIn(unverified, { userAgent: SAFARI })).body.code).toBe("EMAIL_NOT_VERIFIED");
    expect([await announced(unverified), (await known(unverified)).length]).toEqual([0, 1]);
  });

  test("a code that 10 sign-ins use at once, but for the one that succeeds", async () => {
    const person = await signUpVerified();
    const totp = codeOf(await enrol(person), 1);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => signIn(person, { ip: `198.19.${index}.1` }, { totp })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect([await announced(person), (await known(person)).length]).toEqual([1, 2]);
  });

  test("a refresh, which neither stores a device nor marks one as seen", async () => {
    const person = await registeredFrom();
    const { refreshToken } = (await signIn(person)).body.data;
    await setLastSeen(person, Date.now() - 30 * DAY_MS);
    const before = await known(person);
    expect((await post("/auth/refresh", { refreshToken }, { userAgent: SAFARI, ip: "203.0.113.9" })).status).toBe(200);
    expect([await announced(person), await known(person)]).toEqual([0, before]);
  });
});

describe("what is stored", () => {
  test("is no part of a character where a name is too long", async () => {
    const { body } = await post(
      "/auth/register",
      { email: newEmail(), password: PASSWORD },
      {
        userAgent: `${"x".repeat(99)}😀${"x".repeat(9)}/1.0 (rest)`,
      },
    );
    const sessions = await call("GET", "/auth/sessions", { token: body.data.accessToken });
    expect(sessions.body.data[0].browser).toBe(`${"x".repeat(99)}\ufffd`);
  });

  test("is a keyed digest, without browser, place and address", async () => {
    const person = await registeredFrom({ cf: LISBON, ip: "203.0.113.9" });
    const [{ key } = { key: "" }] = await known(person);
    expect(key).toMatch(/^[0-9a-f]{8}\.[0-9a-f]{64}$/);
  });

  test("is written at most once a day, and then when the device is seen", async () => {
    const person = await registeredFrom();
    const hourAgo = Date.now() - DAY_MS / 24;
    await setLastSeen(person, hourAgo);
    await signIn(person);
    expect(await known(person)).toMatchObject([{ lastSeenAt: hourAgo }]);
    await setLastSeen(person, Date.now() - DAY_MS - 1);
    await signIn(person);
    const [{ lastSeenAt } = { lastSeenAt: 0 }] = await known(person);
    expect(lastSeenAt).toBeGreaterThan(hourAgo);
  });

  test("stays known after SECRET_KEYS was rotated, as long as the old key is in it", async () => {
    const person = await registeredFrom();
    const newKey = "0b9f3c55a8e14d6cb2d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9a0b1c2d3";
    await signIn(person, { secretKeys: `${newKey},${env.SECRET_KEYS}` });
    await signIn(person, { secretKeys: newKey });
    expect(await announced(person)).toBe(0);
  });

  test("counts a kind of device that was known before its places were", async () => {
    const person = await registeredFrom({ userAgent: SAFARI });
    const row = env.DB.prepare("INSERT INTO known_devices VALUES (?, 'kind:Firefox on Linux', ?)");
    await row.bind(person.userId, Date.now()).run();
    await signIn(person);
    expect(await announced(person)).toBe(0);
  });

  test("is at most 50 devices, those that were seen last", async () => {
    const person = await registeredFrom();
    await setLastSeen(person, Date.now() - DAY_MS / 24);
    const others = env.DB.prepare(
      "INSERT INTO known_devices SELECT ?, 'device ' || value, ? + value FROM json_each(?)",
    );
    const numbers = JSON.stringify(Array.from({ length: 60 }, (_, number) => number));
    await others.bind(person.userId, Date.now() - 2 * DAY_MS, numbers).run();
    await signIn(person);
    const keys = (await known(person)).map(({ key }) => key);
    expect(keys).toHaveLength(50);
    expect(keys).not.toContain("device 10");
    expect(keys).toContain("device 11");
    expect(await announced(person)).toBe(0);
  });
});

test("the console's sign-in is announced like any other", async () => {
  const person = await registeredFrom({ userAgent: SAFARI });
  await visit().post("/sign-in", { email: person.email, password: PASSWORD });
  await eventually("the notice", async () => noticesTo(person) === 1);
});
