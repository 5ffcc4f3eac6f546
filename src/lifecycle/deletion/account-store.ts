/**
 * Deleting an account in D1. One batch decides and ends all access, so that only one of several parallel requests
 * succeeds.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { type Actor, userActor } from "../../base/schemas/actor";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import type { EndedKeyOf } from "../../identity/members/ended-keys-store";
import { type Factor, factorStillValid } from "../../identity/two-factor/store";
import { endAccount, HAS_OTHER_OWNERS, HAS_OTHERS, type LeftTenant, withoutOthers } from "./ending-store";

export interface AccountDeletion {
  userId: string;
  /** The hash that the password was checked against; null when the product deletes the account. */
  passwordHash: string | null;
  /** Null when the account has no second factor. */
  factor: Factor | null;
  /** Whether tenants without other members are deleted too. */
  deleteTenants: boolean;
  /** Whether the confirmation also goes to an unverified address. */
  tellsUnverified: boolean;
  requestId: string | null;
  /** Who deletes it; missing: the user. */
  by?: Actor;
}

/**
 * The outcome. `stale`: the account is gone, or its password, second factor or code was used or changed since they were
 * read.
 */
export type AccountDeletionOutcome =
  | { kind: "deleted"; tenants: TenantRef[]; left: LeftTenant[]; endedKeys: EndedKeyOf[] }
  | { kind: "stale" }
  | { kind: "lastOwner" | "onlyMember" | "suspended"; tenantNames: string[] };

/** The tenants `t`, with the user's membership `m`, in which other members would be left without an owner. */
const ownedAlone = (userId: string): SQL => sql`memberships m JOIN tenants t ON t.id = m.tenant_id
  WHERE m.user_id = ${userId} AND m.role = 'owner' AND ${HAS_OTHERS} AND NOT ${HAS_OTHER_OWNERS}`;

/** The suspended tenants `t` that would end with the account. Only the operator ends the suspension. */
const suspendedAlone = (userId: string): SQL => sql`${withoutOthers(userId)} AND t.suspended_at IS NOT NULL`;

const namesIn = (from: SQL) => sql`(SELECT json_group_array(t.name) FROM ${from})`;

/**
 * Deletes the account unless that would leave members without an owner, a suspended tenant without members or, without
 * `deleteTenants`, any tenant without members. The purge removes what it leaves behind.
 */
export async function deleteUser(
  { db }: Deps,
  deletion: AccountDeletion,
  nowMs: number,
): Promise<AccountDeletionOutcome> {
  const { userId, passwordHash, factor, deleteTenants, tellsUnverified } = deletion;
  const isProven =
    passwordHash === null
      ? sql`true`
      : sql`u.password_hash = ${passwordHash}
    AND (u.totp_enabled_at IS NULL OR ${factor ? factorStillValid(userId, factor) : sql`false`})`;
  const isAllowed = sql`NOT EXISTS (SELECT 1 FROM ${ownedAlone(userId)})
    AND NOT EXISTS (SELECT 1 FROM ${suspendedAlone(userId)})
    AND ${deleteTenants ? sql`true` : sql`NOT EXISTS (SELECT 1 FROM ${withoutOthers(userId)})`}`;
  // The purge would remove the name and the address of the request again.
  const actor = deletion.by ?? {
    ...userActor({ userId, email: "" }, { ip: null, userAgent: null, requestId: deletion.requestId }),
    name: null,
  };
  const mailTo = sql`iif(u.email_verified_at IS NOT NULL OR ${Number(tellsUnverified)}, u.email, NULL)`;
  const { found, user, ended, left, ...keys } = await atomically(db, {
    // First: it reads what the other statements change.
    found: rows<{ ownedAlone: string; suspendedAlone: string; withoutOthers: string }>(sql`SELECT
      ${namesIn(ownedAlone(userId))} AS ownedAlone, ${namesIn(suspendedAlone(userId))} AS suspendedAlone,
      ${namesIn(withoutOthers(userId))} AS withoutOthers FROM users u WHERE u.id = ${userId} AND ${isProven}`),
    ...endAccount({ userId, purgeId: newId(), actor, condition: sql`${isProven} AND ${isAllowed}`, mailTo }, nowMs),
  });
  if (user.length === 1) {
    const endedKeys = [...keys.apiKeys, ...keys.tenantKeys, ...keys.tenantOwnedKeys];
    return { kind: "deleted", tenants: ended, left, endedKeys };
  }
  const [names] = found;
  if (!names) return { kind: "stale" };
  const alone = JSON.parse(names.ownedAlone) as string[];
  if (alone.length > 0) return { kind: "lastOwner", tenantNames: alone };
  const suspended = JSON.parse(names.suspendedAlone) as string[];
  if (suspended.length > 0) return { kind: "suspended", tenantNames: suspended };
  return { kind: "onlyMember", tenantNames: JSON.parse(names.withoutOthers) as string[] };
}
