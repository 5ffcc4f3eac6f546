/** Units leased by isolates, and what a tenant reserves before it publishes. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { reserve } from "../../src/base/budgets/reserve";
import { createDeps } from "../../src/base/deps";
import type { UnitDemand } from "../../src/base/limits/durable-object";
import { Lease } from "../../src/base/limits/lease";
import { createLimiter, noLeases } from "../../src/base/limits/limiter";
import { RULES, type Rule } from "../../src/base/limits/rules";
import { DAY_MS } from "../../src/base/time";

const START_MS = Date.parse("2026-11-01T00:00:00Z");
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: START_MS }));
afterEach(() => void vi.useRealTimers());

const rule = (limit: number): Rule => ({ limit, windowSeconds: 60 });
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

/** Isolates that lease from one Durable Object. `calls` lists what they asked of it. */
function isolates(count: number, limit: number) {
  const object = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
  const calls: UnitDemand[] = [];
  const background: Promise<unknown>[] = [];
  const access = () => ({
    consume: (demand: UnitDemand) => {
      calls.push(demand);
      return object.consume(rule(limit), demand);
    },
    background: (_what: string, work: Promise<unknown>) => void background.push(work),
    nowMs: Date.now(),
  });
  const leases = times(count, () => new Lease(rule(limit)));
  return {
    calls,
    giveBack: (isolate: number, unused: { leavesAtMs: number; units: number }) =>
      leases[isolate]?.giveBack(unused, access()),
    consume: (isolate: number, units = 1) => (leases[isolate] ?? new Lease(rule(limit))).consume(units, access()),
    settled: async () => void (await Promise.all(background.splice(0))),
  };
}

const allowed = (verdicts: { allowed: boolean }[]) => verdicts.filter((verdict) => verdict.allowed).length;

describe("leased units", () => {
  test.each([5, 20, 45])("of 50 parallel requests in one isolate exactly %d are allowed", async (limit) => {
    const { consume } = isolates(1, limit);
    expect(allowed(await Promise.all(times(50, () => consume(0))))).toBe(limit);
    expect((await consume(0)).allowed).toBe(false);
  });

  test("of 650 requests in one isolate exactly 600 are allowed, 50 at once", async () => {
    const { consume } = isolates(1, 600);
    let sum = 0;
    for (let group = 0; group < 13; group += 1) sum += allowed(await Promise.all(times(50, () => consume(0))));
    expect(sum).toBe(600);
  });

  test("a limit of 5 is exact over ten isolates", async () => {
    const { consume } = isolates(10, 5);
    expect(allowed(await Promise.all(times(50, (index) => consume(index % 10))))).toBe(5);
  });

  interface Step {
    seconds: number;
    isolates: number;
    all?: boolean;
  }
  const usedLate: Step[] = [
    { seconds: 0, isolates: 20 },
    { seconds: 9.9, isolates: 20, all: true },
    { seconds: 60, isolates: 20, all: true },
  ];
  const leasedInTurns: Step[] = [
    { seconds: 0, isolates: 10 },
    { seconds: 11, isolates: 20 },
    { seconds: 59.9, isolates: 20, all: true },
    { seconds: 60, isolates: 20, all: true },
    { seconds: 71, isolates: 20, all: true },
  ];
  test.each([
    { name: "used at the end of their lease", steps: usedLate },
    { name: "leased by one isolate after the other", steps: leasedInTurns },
  ])("of 20 isolates exceed a limit by at most 10 percent in any window: $name", async ({ steps }) => {
    const limit = 1000;
    const { consume, settled } = isolates(20, limit);
    const usedAtMs: number[] = [];
    for (const { seconds, isolates: count, all } of steps) {
      vi.setSystemTime(START_MS + seconds * 1000);
      let used = 0;
      do {
        used = allowed(await Promise.all(times(count, (index) => consume(20 - count + index))));
        usedAtMs.push(...times(used, () => Date.now()));
      } while (all && used > 0);
      await settled();
    }
    const windows = usedAtMs.map((start) => usedAtMs.filter((at) => at >= start && at < start + 60_000).length);
    expect(Math.max(...windows)).toBeGreaterThanOrEqual(limit);
    expect(Math.max(...windows)).toBeLessThanOrEqual(limit * 1.1);
  });

  test("a request seldom waits: of 300 requests in one isolate only the first waits for a call", async () => {
    const { consume, calls, settled } = isolates(1, 6000);
    for (let request = 0; request < 300; request += 1) {
      expect((await consume(0)).allowed).toBe(true);
      await settled();
    }
    // With the six that it used without asking.
    expect(calls.map(({ units }) => units).filter((units) => units > 0)).toEqual([7]);
    expect(calls.length).toBeLessThanOrEqual(15);
  });

  test("50 parallel requests lease one block, a hundredth of the limit", async () => {
    const { consume, calls, settled } = isolates(1, 6000);
    await Promise.all(times(50, () => consume(0)));
    await settled();
    expect(calls.reduce((sum, { ahead = 0 }) => sum + ahead, 0)).toBe(60);
  });

  test("units that were held and not used count no longer", async () => {
    const { consume, settled } = isolates(1, 1000);
    expect((await consume(0)).remaining).toBe(999);
    await settled();
    vi.setSystemTime(START_MS + 11_000);
    expect((await consume(0)).remaining).toBe(998);
  });

  test("refusals make no call until there is room again", async () => {
    const { consume, calls } = isolates(1, 5);
    await Promise.all(times(6, () => consume(0)));
    const before = calls.length;
    vi.setSystemTime(START_MS + 59_999);
    expect(await consume(0)).toMatchObject({ allowed: false, resetMs: 1 });
    expect(calls.length).toBe(before);
    vi.setSystemTime(START_MS + 60_000);
    expect((await consume(0)).allowed).toBe(true);
  });

  test("what is given back can be used again", async () => {
    const { consume, giveBack } = isolates(1, 5);
    const [verdict] = await Promise.all(times(5, () => consume(0)));
    await giveBack(0, { leavesAtMs: verdict?.leavesAtMs ?? 0, units: 2 });
    expect(allowed(await Promise.all(times(5, () => consume(0))))).toBe(2);
  });

  test("what is given back is not held beyond a block: others can use it at once", async () => {
    const { consume, giveBack } = isolates(2, 1000);
    const verdict = await consume(0, 900);
    await giveBack(0, { leavesAtMs: verdict.leavesAtMs, units: 899 });
    expect((await consume(1, 980)).allowed).toBe(true);
  });

  test("what is given back of more units than were held is not counted too early", async () => {
    const { consume, giveBack } = isolates(2, 1000);
    await consume(0);
    vi.setSystemTime(START_MS + 9_000);
    const { leavesAtMs } = await consume(0, 15);
    await giveBack(0, { leavesAtMs, units: 15 });
    vi.setSystemTime(START_MS + 18_000);
    expect((await consume(0, 5)).allowed).toBe(true);
    vi.setSystemTime(START_MS + 60_000);
    // Five were used, and five are leased and have not been given back.
    expect((await consume(1, 991)).allowed).toBe(false);
    expect((await consume(1, 990)).allowed).toBe(true);
  });

  test("when the Durable Object fails, publishing goes on", async () => {
    const broken = { idFromName: () => null, get: () => ({ consume: () => Promise.reject(new Error("down")) }) };
    const limiter = createLimiter({
      namespace: broken as unknown as typeof env.RATE_LIMITER,
      rules: { ...RULES, tenantDeliveries: rule(1), tenantPayloadBytes: rule(1) },
      leases: noLeases(),
      background: () => undefined,
      now: Date.now,
    });
    expect(await limiter.consume("publish", "tenant", 7)).toBeNull();
    await expect(limiter.consume("login", "ip")).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
  });
});

describe("a reservation", () => {
  const verified = () => ({ tenantId: crypto.randomUUID(), hasVerifiedOwner: true });
  const unverified = () => ({ tenantId: crypto.randomUUID(), hasVerifiedOwner: false });
  const depsWith = (vars: Partial<Record<keyof Env, string>> = {}) =>
    createDeps({ ...env, ...vars } as Env, createExecutionContext());
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => "reserved",
      (error: { code: string }) => error.code,
    );
  const count = (outcomes: string[], wanted: string) => outcomes.filter((one) => one === wanted).length;

  test("of deliveries holds under 50 parallel requests: never more than 10 % over the budget", async () => {
    const deps = await depsWith({ TENANT_DELIVERIES_PER_MINUTE: "300" });
    const tenant = verified();
    const outcomes = await Promise.all(times(50, () => outcome(reserve(deps, tenant, { deliveries: 10 }))));
    expect(count(outcomes, "reserved")).toBe(30);
    expect(count(outcomes, "RATE_LIMITED")).toBe(20);
  });

  test("of payload bytes is refused whole, with Retry-After", async () => {
    const deps = await depsWith({ TENANT_PAYLOAD_MIB_PER_MINUTE: "1" });
    const tenant = verified();
    const bytes = 256 * 1024;
    for (let event = 0; event < 3; event += 1) await reserve(deps, tenant, { bytes });
    vi.setSystemTime(START_MS + 20_000);
    await reserve(deps, tenant, { bytes: bytes / 2 });
    const refusal = await reserve(deps, tenant, { bytes }).catch((error) => error);
    expect(refusal).toMatchObject({ code: "RATE_LIMITED", headers: { "Retry-After": "40" } });
    await reserve(deps, tenant, { bytes: bytes / 2 });
  });

  test("that one budget refuses takes nothing from the others", async () => {
    const deps = await depsWith({ TENANT_DELIVERIES_PER_MINUTE: "10", TENANT_PAYLOAD_MIB_PER_MINUTE: "1" });
    const tenant = verified();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect(await outcome(reserve(deps, tenant, { events: 1, deliveries: 11, bytes: 512 * 1024 }))).toBe(
        "RATE_LIMITED",
      );
    }
    await reserve(deps, tenant, { events: 1, deliveries: 10, bytes: 1024 * 1024 });
  });

  test("can be given back in part", async () => {
    const deps = await depsWith({ TENANT_DELIVERIES_PER_MINUTE: "10" });
    const tenant = verified();
    const reservation = await reserve(deps, tenant, { deliveries: 10 });
    await reservation.giveBack({ deliveries: 4 });
    expect(await outcome(reserve(deps, tenant, { deliveries: 5 }))).toBe("RATE_LIMITED");
    await reserve(deps, tenant, { deliveries: 4 });
  });

  test("asks only the limiters that get something back", async () => {
    const deps = await depsWith();
    const asked: string[] = [];
    const giveBack: typeof deps.limiter.giveBack = async (name, key, unused) => {
      asked.push(name);
      await deps.limiter.giveBack(name, key, unused);
    };
    const watched = { ...deps, limiter: { ...deps.limiter, giveBack } };
    const reservation = await reserve(watched, unverified(), { published: 1, events: 1, deliveries: 2, bytes: 10 });
    await reservation.giveBack({ deliveries: 1 });
    expect(asked).toEqual(["tenantDeliveries", "unverifiedDeliveries"]);
  });

  test("of one tenant takes nothing from another", async () => {
    const deps = await depsWith({ TENANT_DELIVERIES_PER_MINUTE: "1" });
    await reserve(deps, verified(), { deliveries: 1 });
    await reserve(deps, verified(), { deliveries: 1 });
  });

  test("of a tenant without a verified owner ends after 100 deliveries in 24 hours, of 50 parallel ones exactly", async () => {
    const deps = await depsWith();
    const tenant = unverified();
    const outcomes = await Promise.all(times(50, () => outcome(reserve(deps, tenant, { events: 1, deliveries: 4 }))));
    expect([count(outcomes, "reserved"), count(outcomes, "EMAIL_NOT_VERIFIED")]).toEqual([25, 25]);
    const refusal = await reserve(deps, tenant, { deliveries: 1 }).catch((error) => error);
    expect([refusal.status, refusal.message]).toEqual([403, "Verify your email to go on."]);
    await reserve(deps, { ...tenant, hasVerifiedOwner: true }, { deliveries: 1 });
    vi.setSystemTime(START_MS + 24 * 3_600_000);
    await reserve(deps, tenant, { deliveries: 1 });
  });

  test("of bytes is limited for all tenants without a verified owner together", async () => {
    // In a window of its own: tests of other files count in this limit too.
    vi.setSystemTime(Date.now() + 1_000 * DAY_MS);
    const total = { limit: 1000, windowSeconds: 10 };
    const deps = await depsWith({ RATE_LIMITS: JSON.stringify({ unverifiedTotalBytes: total }) });
    const tenants = times(50, unverified);
    const outcomes = await Promise.all(tenants.map((tenant) => outcome(reserve(deps, tenant, { bytes: 100 }))));
    expect([count(outcomes, "reserved"), count(outcomes, "EMAIL_NOT_VERIFIED")]).toEqual([10, 40]);
    await reserve(deps, verified(), { bytes: 100 });
  });

  test("of such a tenant has no such end where verification is optional", async () => {
    const deps = await depsWith({ EMAIL_VERIFICATION: "optional" });
    await reserve(deps, unverified(), { deliveries: 101 });
  });
});
