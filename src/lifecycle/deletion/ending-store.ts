/** What a deletion ends at once, in the batch that decides it. The rest is left to the purge. */
import { type SQL, sql } from "drizzle-orm";
import { rows } from "../../base/db/client";
import { newIdSql } from "../../base/db/ids";
import type { Actor } from "../../base/schemas/actor";
import type { TargetKind } from "../../base/schemas/audit-actions";
import type { Role } from "../../base/schemas/roles";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { endApiKeys, endUnrecorded } from "../../identity/members/ended-keys-store";
import { endSessionsForGood, endSessionsOfTenants } from "../../identity/tokens/revocations-store";
import { auditEach } from "../../tenancy/audit/record-store";

/** Whether the tenant of the membership `m` has other members, as SQL. It is not to count 100,000. */
export const HAS_OTHERS = sql`EXISTS (SELECT 1 FROM memberships o WHERE o.tenant_id = m.tenant_id
  AND o.user_id <> m.user_id)`;

/** Whether it has other owners. */
export const HAS_OTHER_OWNERS = sql`EXISTS (SELECT 1 FROM memberships o WHERE o.tenant_id = m.tenant_id
  AND o.role = 'owner' AND o.user_id <> m.user_id)`;

/** The tenants (as `t`) that nobody but the user is a member of. */
export const withoutOthers = (userId: string): SQL => sql`memberships m JOIN tenants t ON t.id = m.tenant_id
  WHERE m.user_id = ${userId} AND NOT ${HAS_OTHERS}`;

/** The other database that has rows of the tenant `t`, because it was moved from there or is being moved there. */
export const OTHER_SHARD = sql.raw(`coalesce(t.former_shard, (SELECT mv.to_shard FROM tenant_moves mv
  WHERE mv.tenant_id = t.id AND mv.ended_at IS NULL))`);

/**
 * Records a deletion in the log of the platform, which outlives the other logs, for each row of `from` (SQL: what
 * follows FROM). The product's own deletions are always there, and those of others while its events are published.
 */
const recordInPlatform = (
  { action, target, externalId }: { action: Deletion; target: { kind: TargetKind; id: SQL }; externalId: SQL },
  actor: Actor,
  from: SQL,
  nowMs: number,
): SQL =>
  auditEach(
    { tenantId: PLATFORM_TENANT, action, actor, target, meta: sql`json_object('externalId', ${externalId})` },
    sql`${from} AND ${
      actor.kind === "platform-key"
        ? sql`true`
        : sql`EXISTS (SELECT 1 FROM platform_feed
      WHERE id = 1)`
    }`,
    nowMs,
  );

type Deletion = "auth.account_deleted" | "tenant.deleted";

/** An account that ends if its `condition` still holds when it is written. */
export interface EndingAccount {
  userId: string;
  purgeId: string;
  /** The actor that the audit logs of the remaining tenants record. */
  actor: Actor;
  /** A condition on `users u`: whether the account may end. */
  condition: SQL;
  /** An expression on `users u`: the address that gets the confirmation; NULL for none. */
  mailTo: SQL;
}

/** A tenant that goes on without the user, and the role that the user had there. */
export interface LeftTenant {
  tenantId: string;
  role: Role;
}

/**
 * Ends an account, and the tenants that nobody else is a member of. `user` has a row if it has ended; `ended` are these
 * tenants, `left` the others. `apiKeys`, `tenantKeys` and `tenantOwnedKeys` have stopped working. The purge removes
 * what it leaves behind.
 */
export function endAccount({ userId, purgeId, actor, condition, mailTo }: EndingAccount, nowMs: number) {
  const begun = hasBegun(purgeId);
  return {
    purge: sql`INSERT INTO purges (id, kind, subject_id, email, mail_to, name, locale, created_at, run_at)
      SELECT ${purgeId}, 'user', u.id, u.email, ${mailTo}, iif(u.email_verified_at IS NULL, NULL, u.name), u.locale,
        ${nowMs}, ${nowMs} FROM users u
        WHERE u.id = ${userId} AND ${condition}`,
    tenantPurges: sql`INSERT INTO purges (id, kind, subject_id, part_of, shard, former_shard, name, created_at,
      run_at)
      SELECT ${newIdSql(nowMs)}, 'tenant', t.id, ${purgeId}, t.shard, ${OTHER_SHARD}, t.name, ${nowMs}, ${nowMs}
        FROM ${withoutOthers(userId)} AND ${begun}`,
    ...endTenants(sql`part_of = ${purgeId}`, actor, nowMs),
    // After the tenants that nobody else is a member of: their logs go with them.
    recorded: auditEach(
      { tenantId: sql`m.tenant_id`, action: "auth.account_deleted", actor, target: { kind: "user", id: userId } },
      sql`memberships m WHERE m.user_id = ${userId} AND ${begun}`,
      nowMs,
    ),
    recordedInPlatform: recordInPlatform(
      { action: "auth.account_deleted", target: { kind: "user", id: sql`u.id` }, externalId: sql`u.external_id` },
      actor,
      sql`users u WHERE u.id = ${userId} AND ${begun}`,
      nowMs,
    ),
    sessions: endSessionsForGood(userId, begun, nowMs),
    // Deleted now, so that the person can create a new account with them at once.
    identities: sql`DELETE FROM identities WHERE user_id = ${userId} AND ${begun}`,
    ...endApiKeys(sql`user_id = ${userId} AND ${begun}`, { actor, reason: "account-deleted" }, nowMs),
    left: rows<LeftTenant>(sql`DELETE FROM memberships WHERE user_id = ${userId} AND ${begun}
      RETURNING tenant_id AS tenantId, role`),
    user: sql`DELETE FROM users WHERE id = ${userId} AND ${begun} RETURNING id`,
  };
}

/** True once the batch has stored the purge with this id. It is stored only if the deletion is allowed. */
const hasBegun = (purgeId: string): SQL => sql`EXISTS (SELECT 1 FROM purges WHERE id = ${purgeId})`;

/**
 * Ends everybody's access to the tenants that these purges remove (`purges`: a condition on their rows), and deletes
 * the rows that could not be found afterwards. `ended` are the tenants.
 */
export function endTenants(purges: SQL, actor: Actor, nowMs: number) {
  const tenants = sql`(SELECT subject_id FROM purges WHERE kind = 'tenant' AND ${purges})`;
  return {
    // Before the memberships, through which the sessions are found.
    tenantSessions: endSessionsOfTenants(tenants, nowMs),
    tenantKeys: endUnrecorded(sql`user_id <> '' AND tenant_id IN ${tenants}`, nowMs),
    tenantOwnedKeys: endUnrecorded(sql`user_id = '' AND tenant_id IN ${tenants}`, nowMs),
    // An invitation mail may still be in the queue.
    tenantInvitations: sql`UPDATE invitations SET revoked_at = ${nowMs}
      WHERE tenant_id IN ${tenants} AND accepted_at IS NULL AND revoked_at IS NULL`,
    // Other tenants can prove them at once.
    tenantDomains: sql`DELETE FROM domains WHERE tenant_id IN ${tenants}`,
    tenantsRecorded: recordInPlatform(
      { action: "tenant.deleted", target: { kind: "tenant", id: sql`t.id` }, externalId: sql`t.external_id` },
      actor,
      sql`tenants t WHERE t.id IN ${tenants}`,
      nowMs,
    ),
    ended: rows<TenantRef>(sql`DELETE FROM tenants WHERE id IN ${tenants} RETURNING id AS tenantId, shard`),
    // After the tenants, whose counters would be written for each of them.
    tenantMembers: sql`DELETE FROM memberships WHERE tenant_id IN ${tenants}`,
  };
}
