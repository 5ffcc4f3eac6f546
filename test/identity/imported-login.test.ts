/** People whose hash comes from another service: login, step-up and change-password. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { oneAtATime } from "../../src/identity/passwords/imported/one-at-a-time";
import { call, newEmail, PASSWORD, type Person, signUpVerified } from "../support/client";
import { passFloors } from "../support/floors";
import { FIREBASE, storeFirebaseHash, storeHash } from "../support/imported-hashes";

/** PBKDF2 of PASSWORD and of "short", made with Python's hashlib. */
const OF_PASSWORD = "$pbkdf2-sha256$i=1000$c29tZXNhbHQ$tialtnUVXehIAQR5duFwgQ/NykFia+syCsDEaTVcejk";
const OF_SHORT = "$pbkdf2-sha256$i=1000$c29tZXNhbHQ$g3FMYrgrr/q5nNaDWizA1mg41FfJrEhmOIbEamrQFC8";

const login = (email: string, password = PASSWORD) => call("POST", "/auth/login", { body: { email, password } });

const storedHash = async ({ userId }: Person) =>
  env.DB.prepare("SELECT password_hash AS hash, password_kind AS kind FROM users WHERE id = ?")
    .bind(userId)
    .first<{ hash: string; kind: string | null }>();

async function imported(hash = OF_PASSWORD): Promise<Person> {
  const person = await signUpVerified();
  await storeHash(person.userId, { hash });
  return person;
}

const waitForFloors = passFloors();

afterEach(async () => {
  vi.useRealTimers();
  // Otherwise refused logins of other files would take half a second each.
  await env.DB.prepare("UPDATE users SET password_hash = '' WHERE password_kind IS NOT NULL").run();
});

describe("login", () => {
  test("takes an imported hash, which becomes one of ours", async () => {
    const person = await imported();
    expect((await storedHash(person))?.kind).toBe("pbkdf2");
    expect((await login(person.email, "wrong password")).status).toBe(401);
    expect((await storedHash(person))?.kind).toBe("pbkdf2");
    expect((await login(person.email)).status).toBe(200);
    const after = await storedHash(person);
    expect(after?.kind).toBeNull();
    expect(after?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,/);
    expect((await login(person.email)).status).toBe(200);
  });

  test("takes a hash of Firebase with the settings of its import, and none when these are gone", async () => {
    const person = await signUpVerified();
    await storeFirebaseHash(person.userId);
    expect((await login(person.email, "user2password")).status).toBe(401);
    expect((await login(person.email, FIREBASE.password)).status).toBe(200);
    expect((await login(person.email, FIREBASE.password)).status).toBe(200);
    await storeFirebaseHash(person.userId);
    await env.DB.prepare("DELETE FROM hash_settings").run();
    expect((await login(person.email, FIREBASE.password)).status).toBe(401);
  });

  test("takes all of several parallel first logins, and one of them replaces the hash", async () => {
    const person = await imported();
    // The clock stands still: on a busy machine, some would have waited for too long.
    vi.useFakeTimers({ toFake: ["Date"] });
    const answers = await Promise.all(Array.from({ length: 8 }, () => login(person.email)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await storedHash(person))?.kind).toBeNull();
  });

  test("keeps the imported hash of a password that is too short for ours", async () => {
    const person = await imported(OF_SHORT);
    for (let attempt = 0; attempt < 2; attempt++) expect((await login(person.email, "short")).status).toBe(200);
    expect((await storedHash(person))?.kind).toBe("pbkdf2");
  });

  test("does not replace a password that was reset meanwhile", async () => {
    const person = await imported();
    const [answer] = await Promise.all([
      login(person.email),
      env.DB.prepare("UPDATE users SET password_hash = 'changed' WHERE id = ?").bind(person.userId).run(),
    ]);
    expect([200, 401]).toContain(answer.status);
    if (answer.status === 401) expect((await storedHash(person))?.hash).toBe("changed");
  });

  test("locks the account after ten wrong passwords", async () => {
    const person = await imported();
    for (let attempt = 0; attempt < 10; attempt++) expect((await login(person.email, "wrong")).status).toBe(401);
    expect((await login(person.email)).status).toBe(423);
  });

  test("refuses nobody before half a second while an imported hash waits", async () => {
    waitForFloors();
    const native = await signUpVerified();
    const person = await imported();
    const emails = [newEmail(), native.email, person.email];
    for (const email of emails) {
      const began = performance.now();
      expect((await login(email, "wrong password")).status).toBe(401);
      expect(performance.now() - began).toBeGreaterThanOrEqual(499);
    }
  });
});

describe("people who are signed in", () => {
  test("confirm a session with it", async () => {
    const person = await imported();
    const stepUp = (password: string) => call("POST", "/auth/step-up", { token: person.token, body: { password } });
    expect((await stepUp("wrong password")).status).toBe(401);
    expect((await stepUp(PASSWORD)).status).toBe(200);
  });

  test("change it", async () => {
    const person = await imported();
    const newPassword = "a much better password";
    const change = await call("POST", "/auth/change-password", {
      token: person.token,
      body: { currentPassword: PASSWORD, newPassword },
    });
    expect(change.status).toBe(200);
    expect((await storedHash(person))?.kind).toBeNull();
    expect((await login(person.email, newPassword)).status).toBe(200);
  });
});

test("imported hashes run one at a time, and the others are told to come back after 3 seconds", async () => {
  const { promise: work, resolve: end } = Promise.withResolvers<void>();
  const running = oneAtATime(() => work);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const second = oneAtATime(async () => "second");
  vi.setSystemTime(Date.now() + 3_000);
  await expect(second).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  const third = oneAtATime(async () => "third");
  end();
  await running;
  expect(await third).toBe("third");
});
