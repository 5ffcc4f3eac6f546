/** Rate limits and the lock: exact, also in parallel. */

import {
  createExecutionContext,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import worker from "../src";
import { take } from "../src/ratelimit/window";
import { call, newEmail } from "./support/client";

afterEach(() => void vi.useRealTimers());

const rule = { limit: 5, windowSeconds: 60 };
const newLimiter = () => env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());

describe("the sliding window", () => {
  test("room appears exactly when the oldest hit leaves", () => {
    const { hits } = take([60_000, 70_000, 80_000, 90_000], rule, 40_000);
    expect(take(hits, rule, 59_999).verdict).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 1 });
    expect(take(hits, rule, 60_000).verdict).toMatchObject({ allowed: true, remaining: 0 });
  });

  test("a refused hit does not count", () => {
    const full = [101, 102, 103, 104, 105];
    expect(take(full, rule, 100).hits).toEqual(full);
  });

  test("of 50 parallel hits exactly the limit is allowed", async () => {
    const limiter = newLimiter();
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => limiter.take(rule)));
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(5);
  });

  test("survives the eviction of its object", async () => {
    const limiter = newLimiter();
    for (let hit = 0; hit < 5; hit += 1) await limiter.take(rule);
    await evictDurableObject(limiter);
    expect((await limiter.take(rule)).allowed).toBe(false);
  });

  test("leaves nothing behind once the window has passed", async () => {
    const limiter = newLimiter();
    await limiter.take(rule);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    expect(await runDurableObjectAlarm(limiter)).toBe(true);
    const tables = await runInDurableObject(
      limiter,
      (_, state) =>
        [...state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name IN ('hits', 'locks')")].length,
    );
    expect(tables).toBe(0);
    expect((await limiter.take(rule)).allowed).toBe(true);
  });
});

describe("the lock", () => {
  test("of 50 parallel guesses exactly 10 are let through", async () => {
    const limiter = newLimiter();
    const seconds = await Promise.all(Array.from({ length: 50 }, () => limiter.reserveGuess("password")));
    expect(seconds.filter((retryAfter) => retryAfter === 0)).toHaveLength(10);
    expect(Math.max(...seconds)).toBe(15 * 60);
  });

  test("each further lock lasts twice as long, up to 24 hours, until a success", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const limiter = newLimiter();
    const lockedMinutes: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      for (let guess = 0; guess < 10; guess += 1) await limiter.reserveGuess("password");
      const retryAfterSeconds = await limiter.reserveGuess("password");
      lockedMinutes.push(retryAfterSeconds / 60);
      vi.setSystemTime(Date.now() + retryAfterSeconds * 1000);
    }
    expect(lockedMinutes).toEqual([15, 30, 60, 120, 240, 480, 960, 1440]);
    await limiter.clearGuesses("password");
    for (let guess = 0; guess < 10; guess += 1) await limiter.reserveGuess("password");
    expect(await limiter.reserveGuess("password")).toBe(15 * 60);
  });

  test("a lock of one pool refuses the other", async () => {
    const limiter = newLimiter();
    for (let guess = 0; guess < 10; guess += 1) await limiter.reserveGuess("totp");
    expect(await limiter.reserveGuess("password")).toBeGreaterThan(0);
  });

  test("an unknown email is locked like a known one: 401 ten times, then 423 with Retry-After", async () => {
    const email = newEmail();
    const statuses: number[] = [];
    for (let guess = 0; guess < 11; guess += 1) {
      statuses.push((await call("POST", "/auth/login", { body: { email, password: "wrong password" } })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 423]);
    const locked = await call("POST", "/auth/login", {
      body: { email: email.toUpperCase(), password: "wrong password" },
    });
    expect([locked.body.code, locked.body.message]).toEqual(["ACCOUNT_LOCKED", "Account locked. Try again later."]);
    expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("limited routes", () => {
  test("tell limit, remaining and reset on every answer, and 429 with Retry-After beyond", async () => {
    const first = await call("POST", "/auth/login", { body: {}, headers: { "cf-connecting-ip": "192.0.2.200" } });
    expect(first.status).toBe(400);
    expect(first.headers.get("ratelimit-limit")).toBe("1000");
    expect(first.headers.get("ratelimit-remaining")).toBe("999");
    expect(first.headers.get("ratelimit-reset")).toBe("60");
  });

  test("answer 429 RATE_LIMITED with Retry-After beyond the limit, exactly, in parallel too", async () => {
    const context = createExecutionContext();
    const limited = { ...env, RATE_LIMITS: '{"forgotPassword":{"limit":3,"windowSeconds":60}}' };
    const ask = () =>
      worker.fetch(
        new Request<unknown, IncomingRequestCfProperties>("http://postern.test/api/v1/auth/forgot-password", {
          method: "POST",
          headers: { "content-type": "application/json", "cf-connecting-ip": "192.0.2.77" },
          body: JSON.stringify({ email: newEmail() }),
        }),
        limited,
        context,
      );
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    await waitOnExecutionContext(context);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(3).fill(200), ...Array(17).fill(429)]);
    const refused = answers.find(({ status }) => status === 429);
    expect(await refused?.json()).toMatchObject({ code: "RATE_LIMITED", requestId: expect.any(String) });
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused?.headers.get("ratelimit-remaining")).toBe("0");
  });

  test("an IPv6 client is one by its /64, and other headers are not believed", async () => {
    const remaining = async (headers: Record<string, string>) =>
      (await call("POST", "/auth/login", { body: {}, headers })).headers.get("ratelimit-remaining");
    expect(await remaining({ "cf-connecting-ip": "2001:db8:1:2::1" })).toBe("999");
    expect(await remaining({ "cf-connecting-ip": "2001:0db8:0001:0002:ffff::9" })).toBe("998");
    expect(await remaining({ "cf-connecting-ip": "2001:db8:1:3::1" })).toBe("999");
    expect(await remaining({ "cf-connecting-ip": "2001:db8:1:2::1", "x-forwarded-for": "198.51.100.7" })).toBe("997");
  });
});
