/** Scenes of the fairness run: tenants whose receivers answer, but slowly, publish a burst beside the stream. */
import { type Account, tenantOf } from "./account.ts";
import type { Setting } from "./fairness-compare.ts";
import { type Burst, type Isolation, isolate } from "./isolation.ts";
import { serve } from "./serve.ts";
import { median } from "./statistics.ts";
import { figure, verdict } from "./table.ts";

/** The promises: how long events of others wait beside a burst, in ms. */
const OTHER_TENANT_P50_MS = 50;
const OTHER_TENANT_MOST_MS = 1_000;
const SAME_TENANT_P50_MS = 200;
const SECONDS = 8;

const burst = (answerMs: number, fields: Partial<Burst> = {}): Burst => ({
  ...{ answerMs, deliveries: 2_000, tenants: 1, shape: "deep", attempts: "first" },
  ...fields,
});

interface Scene {
  name: string;
  burst: Burst;
  /** Whether the slow tenants are in another delivery database than the one whose events are timed. */
  isApart?: boolean;
}

export const BURSTS: Scene[] = [
  { name: "2,000 to a receiver of 0.1 s", burst: burst(100) },
  { name: "2,000 to a receiver of 0.3 s", burst: burst(300) },
  { name: "10,000 to a receiver of 0.8 s", burst: burst(800, { deliveries: 10_000 }) },
  { name: "2,000 to 250 receivers of 0.8 s", burst: burst(800, { shape: "wide" }) },
  { name: "2,000 of ten tenants to receivers of 2 s", burst: burst(2_000, { tenants: 10 }) },
  { name: "2,000 retries to a receiver of 0.8 s", burst: burst(800, { attempts: "retries" }) },
  { name: "2,000 to a receiver of 0.3 s in another database", burst: burst(300), isApart: true },
];

/** Runs the scene in a new service. Returns the row of the table, and whether the promises are kept. */
export async function besideBurst(
  { bundles, receiver }: Setting,
  { name, burst: given, isApart = false }: Scene,
): Promise<{ row: string[]; isKept: boolean }> {
  const service = await serve(bundles, { hasShard: isApart });
  const place = async (account: Account, isSlow: boolean) => {
    const update = "UPDATE tenants SET shard = ? WHERE id = ?";
    await service.database
      .prepare(update)
      .bind(Number(isApart && isSlow), await tenantOf(account))
      .run();
  };
  const result = await isolate(service.base, receiver, given, { seconds: SECONDS, mostSeconds: SECONDS, place });
  await service.stop();
  const isKept = keepsPromises(result);
  const { aloneMs, otherTenantMs, sameTenantMs, arrived, seconds } = result;
  const both = (latenciesMs: number[]) => `${figure(median(latenciesMs))}, ${figure(Math.max(...latenciesMs))}`;
  const row = [name, both(aloneMs), both(otherTenantMs), both(sameTenantMs), (arrived / seconds).toFixed(0)];
  return { row: [...row, verdict(isKept)], isKept };
}

const keepsPromises = ({ otherTenantMs, sameTenantMs }: Isolation): boolean =>
  median(otherTenantMs) <= OTHER_TENANT_P50_MS &&
  Math.max(...otherTenantMs) <= OTHER_TENANT_MOST_MS &&
  median(sameTenantMs) <= SAME_TENANT_P50_MS;
