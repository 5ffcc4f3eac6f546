/** The record that a tenant's directory has of somebody who signs on, and the rule that its groups fit, in D1. */
import { type SQL, sql } from "drizzle-orm";
import { isDeactivated } from "../../tenancy/tenants/deactivated-store";
import type { SignedOn } from "../signed-on";

/** The active record that a word names: by its subject, else by its address, as a name or as an address. */
export const recordOf = ({ connectionId, subject, email }: SignedOn): SQL => sql`(SELECT p.id, p.user_id FROM (
    SELECT id, user_id, 1 AS rank FROM directory_users INDEXED BY directory_users_by_external_id
      WHERE connection_id = ${connectionId} AND external_id = ${subject} AND state = 'active'
    UNION ALL SELECT id, user_id, 2 FROM directory_users WHERE connection_id = ${connectionId} AND name_key = ${email}
      AND state = 'active'
    UNION ALL SELECT id, user_id, 3 FROM directory_users INDEXED BY directory_users_by_email
      WHERE connection_id = ${connectionId} AND email = ${email} AND state = 'active') p ORDER BY p.rank LIMIT 1)`;

/** True where a directory of the tenant has named anybody: without one, nothing of it is asked. */
export const hasRecords = (tenantId: string): SQL => sql`EXISTS (SELECT 1 FROM connections hc
  WHERE hc.tenant_id = ${tenantId} AND EXISTS (SELECT 1 FROM directory_users hd WHERE hd.connection_id = hc.id))`;

/**
 * True where a directory of the tenant says that somebody has left, by the account, by the address, or by the subject.
 * `userId` and `email` are values or SQL.
 */
export const hasLeft = (
  { tenantId, connectionId, subject }: SignedOn,
  { userId, email }: { userId: SQL | string; email: SQL | string | null },
): SQL => sql`(${isDeactivated(tenantId, { userId, email: sql`${email}` })} OR EXISTS (SELECT 1 FROM directory_users x
  INDEXED BY directory_users_by_external_id WHERE x.connection_id = ${connectionId} AND x.external_id = ${subject}
    AND x.state IN ('inactive', 'removed')))`;

/** The account of the subject. */
export const knownAccount = ({ connectionId, generation, subject }: SignedOn): SQL =>
  sql`(SELECT i.user_id FROM connection_identities i WHERE i.connection_id = ${connectionId}
    AND i.generation = ${generation} AND i.subject = ${subject})`;

/** The record without an account that is held because no group alone gives a role. */
const heldWithoutRole = ({ connectionId, subject, email }: SignedOn): SQL => sql`(SELECT hr.id FROM directory_users hr
  WHERE hr.connection_id = ${connectionId} AND hr.id IN (
      SELECT id FROM directory_users INDEXED BY directory_users_by_external_id
      WHERE connection_id = ${connectionId} AND external_id = ${subject}
      UNION ALL SELECT id FROM directory_users INDEXED BY directory_users_by_email
      WHERE connection_id = ${connectionId} AND email = ${email})
    AND hr.state = 'held' AND hr.user_id IS NULL AND coalesce(hr.reason, 'no_role') = 'no_role' LIMIT 1)`;

/** Lets that record be judged again, as the person has become a member. Only where there is a directory. */
export const judgeRecordAgain = (signedOn: SignedOn, condition: SQL): SQL =>
  sql`UPDATE directory_users SET reason = NULL, version = version + 1
    WHERE connection_id = ${signedOn.connectionId} AND id = ${heldWithoutRole(signedOn)} AND ${condition}`;

/** The first rule about a group of the person in the directory of the connection `c`; NULL: none fits. */
export function groupRule(signedOn: SignedOn): SQL {
  const linked = (userId: SQL) => sql`(SELECT lr.id FROM directory_users lr WHERE lr.user_id = ${userId}
    AND lr.connection_id = ${signedOn.connectionId} AND lr.state IN ('active', 'held') LIMIT 1)`;
  // Whose subject is known has nobody else's record: an address may be somebody else's by now.
  const known = knownAccount(signedOn);
  const addressed = sql`(SELECT ra.id FROM users ra WHERE ra.email = ${signedOn.email})`;
  return sql`CASE WHEN c.directory_groups > 0 THEN (SELECT min(r.key) FROM directory_members gm
    CROSS JOIN directory_groups g ON g.connection_id = gm.connection_id AND g.id = gm.group_id
    CROSS JOIN json_each(c.settings, '$.roles.rules') r
    WHERE gm.connection_id = c.id AND gm.person_id = coalesce(${linked(known)},
        iif(${known} IS NULL, coalesce((SELECT rr.id FROM ${recordOf(signedOn)} rr), ${linked(addressed)}), NULL),
        ${heldWithoutRole(signedOn)})
      AND r.value ->> 'group' IN (g.id, g.display_name)) END`;
}

/** Holds while the groups of the person fit the rule that was judged. `judged`: undefined without a directory. */
export const hasSameGroupRule = (signedOn: SignedOn, judged: number | null | undefined): SQL =>
  judged === undefined
    ? sql`true`
    : sql`EXISTS (SELECT 1 FROM connections c WHERE c.id = ${signedOn.connectionId}
        AND ${groupRule(signedOn)} IS ${judged})`;
