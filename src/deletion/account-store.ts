/** Deleting an account in D1. One batch decides and ends all access, so that of parallel requests one succeeds. */
import { type SQL, sql } from "drizzle-orm";
import { userActor } from "../audit/actor";
import { auditEach } from "../audit/record-store";
import { atomically, rows } from "../db/client";
import { newId, newIdSql } from "../db/ids";
import type { Deps } from "../deps";
import type { TenantRef } from "../tenants/principal";
import { type Factor, factorHolds } from "../two-factor/store";
import { endTenants, hasBegun } from "./ending-store";

export interface AccountDeletion {
  userId: string;
  /** The hash that the password was checked against. */
  passwordHash: string;
  /** Null when the account has no second factor. */
  factor: Factor | null;
  /** Whether tenants without other members are deleted too. */
  deleteTenants: boolean;
  /** Whether an address that is not verified is told. */
  tellsUnverified: boolean;
  requestId: string | null;
}

/** What became of it. `stale`: the account is gone, or its password, second factor or code was used or changed since they were read. */
export type AccountDeletionOutcome =
  | { kind: "deleted"; tenants: TenantRef[] }
  | { kind: "stale" }
  | { kind: "lastOwner" | "onlyMember"; tenantNames: string[] };

const members = sql`(SELECT count(*) FROM memberships o WHERE o.tenant_id = m.tenant_id)`;

/** The tenants (as `t`) of a user (as `m`) that other people would be left in without an owner. */
const ownedAlone = (userId: string): SQL => sql`memberships m JOIN tenants t ON t.id = m.tenant_id
  WHERE m.user_id = ${userId} AND m.role = 'owner' AND ${members} > 1
    AND (SELECT count(*) FROM memberships o WHERE o.tenant_id = m.tenant_id AND o.role = 'owner') = 1`;

/** The tenants (as `t`) that nobody but the user is a member of. */
const withoutOthers = (userId: string): SQL => sql`memberships m JOIN tenants t ON t.id = m.tenant_id
  WHERE m.user_id = ${userId} AND ${members} = 1`;

const namesIn = (from: SQL) => sql`(SELECT json_group_array(t.name) FROM ${from})`;

/** Deletes the account unless that would leave people without an owner, or tenants without members. The purge removes what it leaves behind. */
export async function deleteUser(
  { db }: Deps,
  deletion: AccountDeletion,
  nowMs: number,
): Promise<AccountDeletionOutcome> {
  const { userId, passwordHash, factor, deleteTenants, tellsUnverified } = deletion;
  const purgeId = newId();
  const isProven = sql`u.id = ${userId} AND u.password_hash = ${passwordHash}
    AND (u.totp_enabled_at IS NULL OR ${factor ? factorHolds(userId, factor) : sql`false`})`;
  const isAllowed = sql`NOT EXISTS (SELECT 1 FROM ${ownedAlone(userId)})
    AND ${deleteTenants ? sql`true` : sql`NOT EXISTS (SELECT 1 FROM ${withoutOthers(userId)})`}`;
  const begun = hasBegun(purgeId);
  // The purge would remove the name and the address of the request again.
  const actor = {
    ...userActor({ userId, email: "" }, { ip: null, userAgent: null, requestId: deletion.requestId }),
    name: null,
  };
  const { found, user, ended } = await atomically(db, {
    // First: it reads what the others change.
    found: rows<{ ownedAlone: string; withoutOthers: string }>(sql`SELECT ${namesIn(ownedAlone(userId))} AS ownedAlone,
      ${namesIn(withoutOthers(userId))} AS withoutOthers FROM users u WHERE ${isProven}`),
    purge: sql`INSERT INTO purges (id, kind, subject_id, email, mail_to, name, created_at, run_at)
      SELECT ${purgeId}, 'user', u.id, u.email, iif(u.email_verified_at IS NOT NULL OR ${Number(tellsUnverified)}, u.email, NULL), u.name,
        ${nowMs}, ${nowMs} FROM users u WHERE ${isProven} AND ${isAllowed}`,
    tenantPurges: sql`INSERT INTO purges (id, kind, subject_id, part_of, shard, name, created_at, run_at)
      SELECT ${newIdSql(nowMs)}, 'tenant', t.id, ${purgeId}, t.shard, t.name, ${nowMs}, ${nowMs} FROM ${withoutOthers(userId)} AND ${begun}`,
    ...endTenants(sql`part_of = ${purgeId}`, nowMs),
    // After the tenants that nobody else is a member of: their logs go with them.
    recorded: auditEach(
      { tenantId: sql`m.tenant_id`, action: "auth.account_deleted", actor, target: { kind: "user", id: userId } },
      sql`memberships m WHERE m.user_id = ${userId} AND ${begun}`,
      nowMs,
    ),
    sessions: sql`DELETE FROM sessions WHERE user_id = ${userId} AND ${begun}`,
    apiKeys: sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE user_id = ${userId} AND revoked_at IS NULL AND ${begun}`,
    memberships: sql`DELETE FROM memberships WHERE user_id = ${userId} AND ${begun}`,
    user: sql`DELETE FROM users WHERE id = ${userId} AND ${begun} RETURNING id`,
  });
  if (user.length === 1) return { kind: "deleted", tenants: ended };
  const [names] = found;
  if (!names) return { kind: "stale" };
  const alone = JSON.parse(names.ownedAlone) as string[];
  if (alone.length > 0) return { kind: "lastOwner", tenantNames: alone };
  return { kind: "onlyMember", tenantNames: JSON.parse(names.withoutOthers) as string[] };
}
