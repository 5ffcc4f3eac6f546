/** Reserves a tenant's budgets for events, deliveries and bytes of payloads, before anything is written. */

import type { Deps } from "../deps";
import { AppError, emailNotVerified } from "../errors";
import { refuseOverLimit } from "../limits/limiter";
import type { LimitName } from "../limits/rules";
import { sharersOf } from "../limits/sharers";
import type { LimitVerdict } from "../limits/window";
import type { TenantStanding } from "../schemas/principal";

export interface Amounts {
  /**
   * All events of a publish. They count for a platform key, and for a tenant without a verified owner, whether anybody
   * subscribes or not.
   */
  published?: number;
  /**
   * Events beyond those that the route's own limit counts: 0 for `POST /events`, 99 for a batch of 100, 1 for a publish
   * over RPC.
   */
  events?: number;
  /** Deliveries of events, tests and retries. */
  deliveries?: number;
  /** Bytes of payloads, in UTF-8. */
  bytes?: number;
}

export interface Reservation {
  /**
   * Gives back what was reserved and is not needed, such as deliveries of a subscription that was paused in the
   * meantime.
   */
  giveBack(unused: Amounts): Promise<void>;
}

/** The limits of tenants without a verified owner, in a day. */
const TRIAL_LIMITS: ReadonlySet<LimitName> = new Set<LimitName>([
  "unverifiedEvents",
  "unverifiedDeliveries",
  "unverifiedPayloadBytes",
  "unverifiedTotalBytes",
]);

/**
 * Reserves all of the amounts or none. Throws RATE_LIMITED with `Retry-After` when a budget of the tenant or of its
 * caller is too small for them, and EMAIL_NOT_VERIFIED when a tenant without a verified owner has used up its trial for
 * the day.
 */
export async function reserve(deps: Deps, tenant: TenantStanding, amounts: Amounts): Promise<Reservation> {
  const wanted = limitsFor(deps, tenant, amounts);
  const consumed = await Promise.all(
    wanted.map(async (share) => ({
      ...share,
      verdict: await deps.limiter.consume(share.name, share.key, share.units),
    })),
  );
  const giveBack = async (unused: (Share & { verdict: LimitVerdict | null })[]) => {
    const given = unused.flatMap(({ name, key, units, verdict }) =>
      units > 0 && verdict?.allowed
        ? [deps.limiter.giveBack(name, key, { leavesAtMs: verdict.leavesAtMs, units })]
        : [],
    );
    await Promise.all(given);
  };
  const refused = consumed.find(({ verdict }) => verdict?.allowed === false);
  if (refused) {
    await giveBack(consumed);
    if (TRIAL_LIMITS.has(refused.name)) throw emailNotVerified();
    refuseOverLimit(refused.verdict);
  }
  return {
    giveBack: (amounts) => {
      const units = new Map(limitsFor(deps, tenant, amounts).map((unused) => [unused.name, unused.units]));
      return giveBack(consumed.map((taken) => ({ ...taken, units: units.get(taken.name) ?? 0 })));
    },
  };
}

/**
 * Reserves `most` deliveries of the tenant's budget or, if it has fewer, a tenth, a hundredth and so on. Throws like
 * `reserve`.
 */
export async function reserveUpTo(
  deps: Deps,
  tenant: TenantStanding,
  most: number,
): Promise<Reservation & { limit: number }> {
  for (let limit = most; limit > 1; limit = Math.ceil(limit / 10)) {
    const reservation = await reserve(deps, tenant, { deliveries: limit }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return null;
    });
    if (reservation) return { ...reservation, limit };
  }
  return { ...(await reserve(deps, tenant, { deliveries: 1 })), limit: 1 };
}

/** Whether the tenant is on trial, with small limits, because none of its owners has a verified email address. */
export const isOnTrial = ({ config }: Deps, { hasVerifiedOwner }: TenantStanding): boolean =>
  config.emailVerification === "required" && !hasVerifiedOwner;

/** Units of one limit, for one tenant or one key. */
interface Share {
  name: LimitName;
  key: string;
  units: number;
}

function limitsFor(deps: Deps, tenant: TenantStanding, amounts: Amounts): Share[] {
  const { published = 0, events = 0, deliveries = 0, bytes = 0 } = amounts;
  const { tenantId: key, platformKeyId } = tenant;
  const limits: Share[] = [
    { name: "publish", key: sharersOf(tenant), units: events },
    { name: "tenantDeliveries", key, units: deliveries },
    { name: "tenantPayloadBytes", key, units: bytes },
  ];
  if (platformKeyId !== undefined) limits.push({ name: "platformPublish", key: platformKeyId, units: published });
  if (isOnTrial(deps, tenant)) {
    limits.push(
      { name: "unverifiedEvents", key, units: published },
      { name: "unverifiedDeliveries", key, units: deliveries },
      { name: "unverifiedPayloadBytes", key, units: bytes },
      // All such tenants together, so that many throw-away accounts cannot fill a database either.
      { name: "unverifiedTotalBytes", key: "all", units: bytes },
    );
  }
  return limits.filter(({ units }) => units > 0);
}
