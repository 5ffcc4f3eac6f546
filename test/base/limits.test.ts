/** Rate limits and the lock after failed guesses: exact, also for parallel requests. */

import {
  createExecutionContext,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import worker, { RateLimiter } from "../../src";
import { withRetry } from "../../src/base/limits/limiter";
import { consume } from "../../src/base/limits/window";
import { call, newEmail } from "../support/client";
import { callUnder } from "../support/overrides";

afterEach(() => void vi.useRealTimers());

const rule = { limit: 5, windowSeconds: 60 };
const newLimiter = () => env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());

const tablesOf = (limiter: ReturnType<typeof newLimiter>) =>
  runInDurableObject(limiter, (_, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name IN ('windows', 'locks')").toArray(),
  );

describe("the sliding window", () => {
  const entriesAt = (...times: number[]) => times.map((leavesAtMs) => ({ leavesAtMs, units: 1 }));

  test("has room again exactly when the oldest entry leaves", () => {
    const { entries } = consume(entriesAt(60_000, 70_000, 80_000, 90_000), rule, 1, 40_000);
    expect(consume(entries, rule, 1, 59_999).verdict).toMatchObject({ allowed: false, remaining: 0, resetMs: 1 });
    expect(consume(entries, rule, 1, 60_000).verdict).toMatchObject({ allowed: true, remaining: 0 });
  });

  test("does not count what it refuses", () => {
    const full = entriesAt(101, 102, 103, 104, 105);
    expect(consume(full, rule, 1, 100).entries).toEqual(full);
  });

  test("counts every unit of one millisecond, and orders entries by the time at which they leave", () => {
    const later = entriesAt(61_000);
    const { entries } = consume(consume(later, rule, 1, 500).entries, rule, 1, 500);
    expect(entries).toEqual([
      { leavesAtMs: 60_500, units: 2 },
      { leavesAtMs: 61_000, units: 1 },
    ]);
  });

  test("allows exactly the limit of 50 parallel requests", async () => {
    const limiter = newLimiter();
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => limiter.consume(rule, { units: 1 })));
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(5);
  });

  test("survives the eviction of its object", async () => {
    const limiter = newLimiter();
    for (let request = 0; request < 5; request += 1) await limiter.consume(rule, { units: 1 });
    await evictDurableObject(limiter);
    expect((await limiter.consume(rule, { units: 1 })).allowed).toBe(false);
  });

  test("forgets expired entries without a scan", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const limiter = newLimiter();
    for (let request = 0; request < 5; request += 1) {
      await limiter.consume(rule, { units: 1 });
      vi.setSystemTime(Date.now() + 20_000);
    }
    const { rows, plan } = await runInDurableObject(limiter, (_, { storage }) => ({
      rows: storage.sql.exec("SELECT units FROM windows").toArray(),
      plan: storage.sql.exec("EXPLAIN QUERY PLAN DELETE FROM windows WHERE name = '' AND leaves_at <= 1").toArray(),
    }));
    expect(rows).toHaveLength(3);
    expect(plan.map(({ detail }) => detail)).toEqual(["SEARCH windows USING PRIMARY KEY (name=? AND leaves_at<?)"]);
  });

  test("leaves nothing behind once it has passed", async () => {
    const limiter = newLimiter();
    await limiter.consume(rule, { units: 1 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    expect(await runDurableObjectAlarm(limiter)).toBe(true);
    expect(await tablesOf(limiter)).toEqual([]);
    expect((await limiter.consume(rule, { units: 1 })).allowed).toBe(true);
  });

  test("leaves nothing behind if all that was asked of it was refused", async () => {
    const limiter = newLimiter();
    expect((await limiter.consume(rule, { units: 6 })).allowed).toBe(false);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    expect(await runDurableObjectAlarm(limiter)).toBe(true);
    expect(await tablesOf(limiter)).toEqual([]);
  });
});

describe("the Durable Object", () => {
  test("offers the methods of the limiter over RPC, and no others", () => {
    const callable = Object.getOwnPropertyNames(RateLimiter.prototype);
    expect(callable.toSorted()).toEqual(["alarm", "constructor", "consume"]);
  });

  const failing = (properties: object) => {
    let calls = 0;
    const call = async () => {
      calls += 1;
      if (calls === 1) throw Object.assign(new Error("reset"), properties);
      return calls;
    };
    return { call, calls: () => calls };
  };

  test("is called once more after a retryable error, never when overloaded", async () => {
    expect(await withRetry(failing({ retryable: true }).call)).toBe(2);
    for (const properties of [{}, { retryable: true, overloaded: true }]) {
      const { call, calls } = failing(properties);
      await expect(withRetry(call)).rejects.toThrow("reset");
      expect(calls()).toBe(1);
    }
  });
});

describe("the lock", () => {
  test("applies to unknown email addresses too: 401 ten times, then 423 with Retry-After", async () => {
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
  test("send limit, remaining and reset with every answer, a refusal of the body included", async () => {
    const first = await call("POST", "/auth/login", { body: {}, headers: { "cf-connecting-ip": "198.18.132.1" } });
    expect(first.status).toBe(400);
    expect(first.headers.get("ratelimit-limit")).toBe("1000");
    expect(first.headers.get("ratelimit-remaining")).toBe("999");
    expect(first.headers.get("ratelimit-reset")).toBe("60");
  });

  test("answer exactly the limit of 20 parallel requests, and the rest with 429 RATE_LIMITED and Retry-After", async () => {
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

  test("count an IPv6 client by its /64, and believe no other header", async () => {
    const remaining = async (headers: Record<string, string>) =>
      (await call("POST", "/auth/login", { body: {}, headers })).headers.get("ratelimit-remaining");
    expect(await remaining({ "cf-connecting-ip": "2001:db8:7:2::1" })).toBe("999");
    expect(await remaining({ "cf-connecting-ip": "2001:0db8:0007:0002:ffff::9" })).toBe("998");
    expect(await remaining({ "cf-connecting-ip": "2001:db8:7:3::1" })).toBe("999");
    expect(await remaining({ "cf-connecting-ip": "2001:db8:7:2::1", "x-forwarded-for": "198.51.100.7" })).toBe("997");
  });

  const statusesFrom = async (path: string, rule: string, addresses: readonly string[]) => {
    const variables = { RATE_LIMITS: JSON.stringify({ [rule]: { limit: 2, windowSeconds: 60 } }) };
    const answers = addresses.map((ip) => callUnder(variables, { path: `/api/v1${path}`, ip }));
    return (await Promise.all(answers)).map(({ status }) => status).sort();
  };
  const networks = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => `${prefix}:${index.toString(16)}::1`);

  test("count the /48 of IPv6 addresses at eight times the limit", async () => {
    const statuses = await statusesFrom("/auth/login", "login", networks(40, "2001:db8:48"));
    expect(statuses).toEqual([...Array(16).fill(400), ...Array(24).fill(429)]);
    expect(await statusesFrom("/auth/login", "login", ["2001:db8:49::1"])).toEqual([400]);
    const refreshes = await statusesFrom("/auth/refresh", "refresh", networks(40, "2001:db8:50"));
    expect(refreshes).toEqual([...Array(16).fill(400), ...Array(24).fill(429)]);
  });

  test("count the /24 of IPv4 addresses for registrations, not for logins", async () => {
    const addresses = Array.from({ length: 40 }, (_, index) => `100.64.77.${index + 1}`);
    const statuses = await statusesFrom("/auth/register", "register", addresses);
    expect(statuses).toEqual([...Array(16).fill(400), ...Array(24).fill(429)]);
    expect(await statusesFrom("/auth/login", "login", addresses)).toEqual(Array(40).fill(400));
  });

  test("that the network refuses give the address its unit back", async () => {
    await statusesFrom("/auth/login", "login", networks(16, "2001:db8:51"));
    const [mine = ""] = networks(1, "2001:db8:51:ff");
    expect(await statusesFrom("/auth/login", "login", [mine, mine, mine])).toEqual([429, 429, 429]);
    const { headers } = await call("POST", "/auth/login", { body: {}, headers: { "cf-connecting-ip": mine } });
    expect(headers.get("ratelimit-remaining")).toBe("999");
  });
});
