/**
 * Deliveries of tenants without a verified owner. All such tenants together send only so many requests to one host, so
 * that throw-away accounts cannot aim the service at a stranger.
 */
import type { Deps } from "../../../base/deps";
import { describeError, log } from "../../../base/log/log";
import { inTime } from "../../../base/time";
import { readTenantsWithVerifiedOwner } from "../../../tenancy/tenants/verified-store";
import { THROTTLE_TIMEOUT_MS } from "../../plane/timing";
import type { Claimed } from "../run-states";
import type { Target } from "../target-store";
import { endTrials } from "./trial-store";

/** Whether a delivery may have to wait because its tenant is on trial. */
export const isOfTrial = ({ config }: Deps, { onTrial }: Pick<Target, "onTrial">): boolean =>
  onTrial === 1 && config.emailVerification === "required";

/**
 * Counts each delivery in the limit of its host, unless its tenant has got a verified owner. Returns until when (Unix
 * ms) those must wait for which there is no room. Never throws.
 */
export async function trialWaits(deps: Deps, deliveries: readonly Claimed[]): Promise<ReadonlyMap<Claimed, number>> {
  const verified = await verifiedTenants(deps, deliveries);
  const ended = deliveries.filter(({ tenantId }) => verified.has(tenantId));
  if (ended.length > 0) deps.background("end trials", endTrials(deps, ended));
  const waits = new Map<Claimed, number>();
  const counting = deliveries.filter(({ tenantId }) => !verified.has(tenantId));
  await Promise.all(
    counting.map(async (delivery) => {
      const verdict = await deps.limiter.consume("unverifiedHost", URL.parse(delivery.url)?.hostname ?? "");
      if (verdict?.allowed !== false) return;
      // Spread over a window, so that those who wait do not all come back for one free place.
      const spreadMs = Math.random() * deps.config.rules.unverifiedHost.windowSeconds * 1000;
      waits.set(delivery, Math.ceil(deps.now() + verdict.resetMs + spreadMs));
    }),
  );
  return waits;
}

/** If the control plane does not answer in time, nobody counts as verified. */
async function verifiedTenants(deps: Deps, deliveries: readonly Claimed[]): Promise<ReadonlySet<string>> {
  try {
    const tenantIds = new Set(deliveries.map(({ tenantId }) => tenantId));
    return await inTime(THROTTLE_TIMEOUT_MS, readTenantsWithVerifiedOwner(deps, [...tenantIds]));
  } catch (error) {
    log("warn", "owners not read", { count: deliveries.length, ...describeError(error) });
    return new Set();
  }
}
