/** "This was not me" on the verification page, in D1: the token of the mail proves the address. */
import { sql } from "drizzle-orm";
import { atomically, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { EndedAccess } from "../../base/mail/job";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { auditOfLink } from "../../tenancy/audit/record-store";
import { endedOf, reclaim, tenantsToLeave } from "./reclaim-store";

/** An unverified account, with what helps the owner of the address to recognise who registered it. */
export interface Claim {
  userId: string;
  email: string;
  /** Unix ms. */
  createdAt: number;
  /** "Firefox on Linux, Lisbon, PT". */
  createdFrom: string | null;
  /** The tenants that the account leaves when it is reclaimed. */
  tenants: TenantRef[];
}

/** The unverified account of a verification token; null when the token has expired or the address is verified. */
export async function findClaimByToken({ db }: Deps, hash: string, nowMs: number): Promise<Claim | null> {
  const claim = await queryFirst<Omit<Claim, "tenants"> & { tenants: string }>(db)`SELECT u.id AS userId, u.email,
      u.created_at AS createdAt, u.created_from AS createdFrom, ${tenantsToLeave} AS tenants
    FROM email_tokens t JOIN users u ON u.id = t.subject_id
    WHERE t.hash = ${hash} AND t.purpose = 'verify' AND t.expires_at > ${nowMs} AND u.email_verified_at IS NULL`;
  return claim ? { ...claim, tenants: JSON.parse(claim.tenants) as TenantRef[] } : null;
}

/**
 * Reclaims the account and invalidates its password. Returns what ended; null when the token was used in the
 * meantime.
 */
export async function reclaimByLink(
  { db }: Deps,
  { hash, userId, origin }: { hash: string; userId: string; origin: RequestOrigin },
  nowMs: number,
): Promise<EndedAccess | null> {
  const live = sql`EXISTS (SELECT 1 FROM email_tokens WHERE hash = ${hash} AND purpose = 'verify'
    AND subject_id = ${userId} AND expires_at > ${nowMs})`;
  const { ended } = await atomically(db, {
    password: sql`UPDATE users SET password_hash = '' WHERE id = ${userId} AND email_verified_at IS NULL AND ${live}`,
    // After the other change, because it removes the token.
    ...reclaim(userId, live, nowMs),
    recorded: auditOfLink("notice.undone", userId, origin, { kind: "takeOver" }),
  });
  return endedOf(ended) ?? null;
}
