/** The lock of an email address: what it counts, how long it lasts, what a password reset does to it. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AccountLock } from "../../src/base/limits/account-lock";
import { createGuesses, type Guesses } from "../../src/base/limits/guesses";
import type { GuessPool } from "../../src/base/limits/lock";
import { newEmail } from "../support/client";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DAY_MINUTES = 24 * 60;

// The clock stands still, so that a lock has not become a second shorter when it is looked at.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const guesses = createGuesses(env.ACCOUNT_LOCK);
const objectOf = (email: string) => env.ACCOUNT_LOCK.get(env.ACCOUNT_LOCK.idFromName(email));

function later(ms: number): void {
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: now + ms });
}

interface Refusal {
  code: string;
  headers: Record<string, string>;
}

/** "right" or "wrong", or for how many minutes the guess was refused. */
async function guess(
  email: string,
  pool: GuessPool,
  isRight: boolean,
  by: Guesses = guesses,
): Promise<string | number> {
  try {
    const { value } = await by.check(pool, email, async () => (isRight ? "yes" : null));
    return value === null ? "wrong" : "right";
  } catch (error) {
    const { code, headers } = error as Refusal;
    if (code !== "ACCOUNT_LOCKED") throw error;
    return Number(headers["Retry-After"]) / 60;
  }
}

const wrong = (email: string, pool: GuessPool = "password") => guess(email, pool, false);
const right = (email: string, pool: GuessPool = "password") => guess(email, pool, true);

async function fail(email: string, count: number, pool: GuessPool = "password"): Promise<void> {
  for (let attempt = 0; attempt < count; attempt++) expect(await wrong(email, pool)).toBe("wrong");
}

/** Until the lock of the moment is over. */
const afterLock = (minutes: string | number) => later(Number(minutes) * MINUTE_MS + 1);

describe("the lock", () => {
  test("lets exactly 10 of 50 parallel wrong guesses through", async () => {
    const email = newEmail();
    const results = await Promise.all(Array.from({ length: 50 }, () => wrong(email)));
    expect(results.filter((result) => result === "wrong")).toHaveLength(10);
    expect(results.filter((result) => result === 15)).toHaveLength(40);
  });

  test("of 50 parallel right guesses none is refused", async () => {
    const email = newEmail();
    const results = await Promise.all(Array.from({ length: 50 }, () => right(email)));
    expect(new Set(results)).toEqual(new Set(["right"]));
  });

  test("of 49 wrong guesses and a right one in parallel at most 19 are evaluated", async () => {
    const email = newEmail();
    const results = await Promise.all(Array.from({ length: 50 }, (_, index) => guess(email, "password", index === 5)));
    expect(results[5]).toBe("right");
    expect(results.filter((result) => result === "wrong").length).toBeLessThanOrEqual(19);
  });

  test("lasts twice as long each time, up to 24 hours, until a right guess", async () => {
    const email = newEmail();
    const minutes: (string | number)[] = [];
    for (let round = 0; round < 8; round++) {
      await fail(email, 10);
      const refused = await wrong(email);
      minutes.push(refused);
      afterLock(refused);
    }
    expect(minutes).toEqual([15, 30, 60, 120, 240, 480, 960, DAY_MINUTES]);
    expect(await right(email)).toBe("right");
    await fail(email, 10);
    expect(await wrong(email)).toBe(15);
  });

  test("refuses guesses of both pools when either is locked", async () => {
    const email = newEmail();
    await fail(email, 10, "totp");
    expect(await right(email, "password")).toBe(15);
  });

  test("survives the eviction of its object", async () => {
    const email = newEmail();
    await fail(email, 9);
    await evictDurableObject(objectOf(email));
    await fail(email, 1);
    expect(await wrong(email)).toBe(15);
  });

  test("is remembered for 30 days after its end, so that the next one lasts twice as long", async () => {
    const email = newEmail();
    await fail(email, 10);
    later(29 * DAY_MS);
    await runDurableObjectAlarm(objectOf(email));
    await fail(email, 10);
    expect(await wrong(email)).toBe(30);
    later(31 * DAY_MS);
    await fail(email, 10);
    expect(await wrong(email)).toBe(15);
  });

  test("leaves nothing behind once it is forgotten, and nothing after a right guess", async () => {
    const email = newEmail();
    expect(await right(email)).toBe("right");
    await guesses.passwordReset(newEmail());
    later(2 * DAY_MS);
    expect(await runDurableObjectAlarm(objectOf(email))).toBe(true);
    const left = await runInDurableObject(objectOf(email), async (_, { storage }) => [
      ...storage.kv.list(),
      await storage.getAlarm(),
    ]);
    expect(left).toEqual([null]);
  });

  test("tells the one wrong guess that started it", async () => {
    const email = newEmail();
    const checked = await Promise.all(Array.from({ length: 10 }, () => guesses.check("totp", email, async () => null)));
    expect(checked.filter(({ startedLock }) => startedLock)).toHaveLength(1);
  });

  test("offers four methods over RPC, and no others", () => {
    const callable = Object.getOwnPropertyNames(AccountLock.prototype);
    expect(callable.toSorted()).toEqual(["alarm", "constructor", "passwordReset", "reserve", "settle", "wrongGuesses"]);
  });
});

describe("faults of ours", () => {
  test("guesses that could not be checked do not count", async () => {
    const email = newEmail();
    const broken = () => guesses.check("password", email, () => Promise.reject(new Error("D1 is down")));
    for (let attempt = 0; attempt < 12; attempt++) await expect(broken()).rejects.toThrow("D1 is down");
    await fail(email, 9);
    await expect(broken()).rejects.toThrow("D1 is down");
    expect(await right(email)).toBe("right");
  });

  test("a right guess stays right when the lock cannot be told of it", async () => {
    const failing = {
      idFromName: env.ACCOUNT_LOCK.idFromName.bind(env.ACCOUNT_LOCK),
      get: (id: DurableObjectId) => ({
        reserve: (pool: GuessPool) => env.ACCOUNT_LOCK.get(id).reserve(pool),
        settle: () => Promise.reject(new Error("down")),
        passwordReset: () => Promise.reject(new Error("down")),
      }),
    };
    const unlucky = createGuesses(failing as unknown as typeof env.ACCOUNT_LOCK);
    const email = newEmail();
    expect(await guess(email, "password", true, unlucky)).toBe("right");
    await unlucky.passwordReset(email);
  });
});

describe("a password reset", () => {
  test("clears wrong passwords, but wrong second factors neither below nor in a lock", async () => {
    const email = newEmail();
    await fail(email, 9, "totp");
    await fail(email, 9);
    await guesses.passwordReset(email);
    await fail(email, 9);
    expect(await right(email)).toBe("right");
    await fail(email, 1, "totp");
    expect(await wrong(email, "totp")).toBe(15);
  });

  test("lifts a lock of second factors once in 24 hours, and never shortens the next one", async () => {
    const email = newEmail();
    await fail(email, 10, "totp");
    await guesses.passwordReset(email);
    await fail(email, 10, "totp");
    expect(await wrong(email, "totp")).toBe(30);
    await guesses.passwordReset(email);
    expect(await wrong(email, "totp")).toBe(30);
    expect(await right(email)).toBe(30);
    later(DAY_MS);
    await fail(email, 10, "totp");
    expect(await wrong(email, "totp")).toBe(60);
    await guesses.passwordReset(email);
    expect(await right(email, "totp")).toBe("right");
  });

  test("for 10 minutes the new password passes a lock, wrong ones are answered as before", async () => {
    const email = newEmail();
    await fail(email, 10);
    await guesses.passwordReset(email);
    await fail(email, 10);
    expect(await wrong(email)).toBe(15);
    expect(await right(email)).toBe("right");
    await fail(email, 10);
    expect(await right(email)).toBe(15);
  });

  test("after 10 minutes, or a hundred wrong guesses, the lock holds again", async () => {
    const [slow, guessed] = [newEmail(), newEmail()];
    for (const email of [slow, guessed]) {
      await guesses.passwordReset(email);
      await fail(email, 10);
    }
    const results = await Promise.all(Array.from({ length: 120 }, () => wrong(guessed)));
    expect(results.every((result) => result === 15)).toBe(true);
    expect(await right(guessed)).toBe(15);
    later(10 * MINUTE_MS);
    expect(await right(slow)).toBe(5);
  });
});
