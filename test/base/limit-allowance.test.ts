/** What an isolate uses of the limits of publishing without asking the limiter, and the one object that it asks. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { reserve } from "../../src/base/budgets/reserve";
import { createDeps } from "../../src/base/deps";
import type { UnitDemand } from "../../src/base/limits/durable-object";
import { Lease } from "../../src/base/limits/lease";

const START_MS = Date.parse("2026-11-01T00:00:00Z");
const RULE = { limit: 6_000, windowSeconds: 60 };
const FALLING = [5999, 5998, 5997, 5996, 5995, 5994];
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: START_MS }));
afterEach(() => void vi.useRealTimers());

test("six units of 6,000 in a minute are used without a call, and told of with the next one", async () => {
  const object = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
  const calls: UnitDemand[] = [];
  const access = () => ({
    consume: (demand: UnitDemand) => {
      calls.push(demand);
      return object.consume(RULE, demand);
    },
    background: () => undefined,
    nowMs: Date.now(),
  });
  const lease = new Lease(RULE);
  const consume = (units: number) => lease.consume(units, access());
  const remaining: number[] = [];
  for (let minute = 0; minute < 3; minute += 1) {
    vi.setSystemTime(START_MS + minute * 60_001);
    for (let event = 0; event < 6; event += 1) remaining.push((await consume(1)).remaining);
  }
  expect(remaining).toEqual([FALLING, FALLING, FALLING].flat());
  expect(calls).toEqual([]);
  vi.setSystemTime(START_MS + 240_000);
  const verdict = await consume(6);
  await lease.giveBack({ leavesAtMs: verdict.leavesAtMs, units: 2 }, access());
  expect(calls).toEqual([]);
  expect(await consume(3)).toMatchObject({ allowed: true, remaining: 5993 });
  expect(calls).toEqual([{ units: 7, ahead: 60, unused: [] }]);
});

test("a tenant has one object for all limits of publishing, and none for what its allowance covers", async () => {
  const asked: string[] = [];
  const { RATE_LIMITER } = env;
  const namespace = {
    idFromName: (name: string) => {
      asked.push(name);
      return RATE_LIMITER.idFromName(name);
    },
    get: (id: DurableObjectId) => RATE_LIMITER.get(id),
  } as unknown as typeof RATE_LIMITER;
  const deps = await createDeps({ ...env, RATE_LIMITER: namespace }, createExecutionContext());
  const tenant = { tenantId: crypto.randomUUID(), hasVerifiedOwner: true };
  for (let event = 0; event < 5; event += 1) await reserve(deps, tenant, { events: 1, deliveries: 10, bytes: 1_000 });
  expect(asked).toEqual([]);
  await reserve(deps, tenant, { events: 2, deliveries: 60, bytes: 60_000 });
  expect(asked).toEqual(Array(3).fill(`tenant:${tenant.tenantId}`));
  const { remaining = 0 } = (await deps.limiter.consume("publish", tenant.tenantId)) ?? {};
  expect(remaining).toBe(6_000 - 5 - 2 - 1);
});
