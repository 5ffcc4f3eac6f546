/** Reclaiming an account with a code that was mailed to its address, in D1: the code proves the address. */
import { sql } from "drizzle-orm";
import { atomically, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { EndedAccess } from "../../base/mail/job";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { auditOfLink } from "../../tenancy/audit/record-store";
import { mailCodeStillValid } from "../email-codes/store";
import { endedOf, reclaim, tenantsToLeave } from "./reclaim-store";

/** The tenants that the user's account leaves when it is reclaimed; none when its address is verified. */
export async function tenantsToLeaveOfUser({ db }: Deps, userId: string): Promise<TenantRef[]> {
  const found = await queryFirst<{ tenants: string }>(db)`SELECT ${tenantsToLeave} AS tenants FROM users u
    WHERE u.id = ${userId}`;
  return JSON.parse(found?.tenants ?? "[]") as TenantRef[];
}

/**
 * Reclaims the account, invalidates its password and verifies its address. Does not use up the code, which then opens
 * a session. Returns what ended; undefined when the address was verified or the code was used in the meantime.
 */
export async function reclaimByCode(
  { db }: Deps,
  { mailId, userId, origin }: { mailId: string; userId: string; origin: RequestOrigin },
  nowMs: number,
): Promise<EndedAccess | undefined> {
  const live = mailCodeStillValid(mailId);
  const unproven = sql`id = ${userId} AND email_verified_at IS NULL AND ${live}`;
  const { ended } = await atomically(db, {
    password: sql`UPDATE users SET password_hash = '' WHERE ${unproven}`,
    ...reclaim(userId, live, nowMs),
    // Last of the changes: the statements above ask whether the address is unverified.
    verified: sql`UPDATE users SET email_verified_at = ${nowMs} WHERE ${unproven}`,
    recorded: auditOfLink("auth.email_verified", userId, origin, { method: "code" }),
  });
  return endedOf(ended);
}
