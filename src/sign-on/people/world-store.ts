/** What D1 knows of somebody who signs on: the connection, the account of the subject and that of the address. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ConnectionSettings } from "../../base/schemas/connection-settings";
import type { Role } from "../../base/schemas/roles";
import { openByToken } from "../../identity/invitations/join-store";
import { IS_OPEN } from "../../identity/policy/open-connection-store";
import type { SignedOn } from "../signed-on";
import { groupRule, hasLeft, hasRecords, knownAccount, recordOf } from "./record-store";

/** The connection as it is now. */
export interface PresentConnection {
  name: string;
  /** Whether people sign on through it: it is active, and what somebody else has changed was reviewed. */
  isOpen: boolean;
  version: number;
  generation: number;
  settings: ConnectionSettings;
  isTenantSuspended: boolean;
  tenantName: string;
  /** Whether a directory has called: then rules about groups read its groups, and no claim. */
  hasDirectory: boolean;
  /** The first rule about a group that the person has there, counted from 0; null: none fits. */
  groupRule: number | null;
  /** Whether the tenant has proved the domain of the address. */
  isDomainProved: boolean;
  /** Whether the tenant has proved the domain that Google says the account is of. */
  isHostedDomainProved: boolean;
}

/** An account that the person may be. Times are Unix ms. */
export interface PossibleAccount {
  userId: string;
  email: string;
  name: string | null;
  emailVerifiedAt: number | null;
  isSuspended: 0 | 1;
  /** In the tenant of the connection; null: no member. */
  role: Role | null;
  /** See the table `memberships`. */
  roleBy: "hand" | "directory" | null;
  /** Whether a subject of this connection is known for it. */
  hasSubject: 0 | 1;
  /** Whether somebody has removed the person since, and nobody has added or invited them again. */
  isRemoved: 0 | 1;
}

export interface SignOnWorld {
  connection: PresentConnection;
  /** The account of the subject. */
  known: PossibleAccount | undefined;
  /** The account of the address. Of whom the subject is known, nobody asks for it. */
  addressed: PossibleAccount | undefined;
  /** The account of the active record of the directory that the provider's word names. */
  named: PossibleAccount | undefined;
  /** Whether the connection has an active record of the person. */
  isProvisioned: boolean;
  /** Whether a directory of the tenant says that the person has left. */
  isDeactivated: boolean;
  /** The role of the open invitation whose token the person has; null without one. */
  invitedAs: Role | null;
}

/**
 * True while the tenant has proved that the domain is its own, and an owner has looked at it if it was added with a
 * setup link. `orAdded`: when nobody need have looked at it.
 */
export const isProved = (tenantId: SQL | string, domain: string, orAdded: SQL = sql`false`): SQL =>
  sql`EXISTS (SELECT 1 FROM domains d WHERE d.domain = ${domain} AND d.state = 'proved' AND d.tenant_id = ${tenantId}
    AND (d.needs_review = 0 OR ${orAdded}))`;

/** A connection that signs nobody in yet is tested with the domains that its activation lets count. */
const whileTested = sql`NOT ${IS_OPEN}`;

/** True for the identity `i` of the person who signs on. */
export const isOfSubject = ({ connectionId, generation, subject }: SignedOn): SQL =>
  sql`i.connection_id = ${connectionId} AND i.generation = ${generation} AND i.subject = ${subject}`;

/**
 * True while the identity `i` of the user `u` does not open the tenant, because somebody has removed the person.
 * Whoever has become a member since, or is invited since, is in again.
 */
export const isRemoved = (tenantId: SQL | string, nowMs: number): SQL =>
  sql`(i.removed_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM memberships b WHERE b.tenant_id = ${tenantId}
      AND b.user_id = u.id AND b.created_at >= i.removed_at)
    AND NOT EXISTS (SELECT 1 FROM invitations v WHERE v.email = u.email AND v.tenant_id = ${tenantId}
      AND v.accepted_at IS NULL AND v.revoked_at IS NULL AND v.expires_at > ${nowMs}
      AND v.created_at >= i.removed_at))`;

const columns = (hasSubject: SQL, removed: SQL): SQL => sql`u.id AS userId, u.email, u.name,
  u.email_verified_at AS emailVerifiedAt, u.suspended_at IS NOT NULL AS isSuspended, m.role, m.role_by AS roleBy,
  ${hasSubject} AS hasSubject, ${removed} AS isRemoved`;

/** Reads all of it in one trip. Undefined: there is no such connection any more. */
export async function readWorld({ db }: Deps, signedOn: SignedOn, nowMs: number): Promise<SignOnWorld | undefined> {
  const { connectionId, tenantId, generation, email, hostedDomain, invitationHash } = signedOn;
  const known = knownAccount(signedOn);
  const member = sql`LEFT JOIN memberships m ON m.tenant_id = ${tenantId} AND m.user_id = u.id`;
  const subjectOfAccount = sql`EXISTS (SELECT 1 FROM connection_identities o WHERE o.user_id = u.id
    AND o.connection_id = ${connectionId} AND o.generation = ${generation})`;
  const { connection, account, addressed, named, record, invited } = await atomically(db, {
    connection: rows<StoredConnection>(sql`SELECT c.name, ${IS_OPEN} AS isOpen, c.version, c.generation, c.settings,
        t.suspended_at IS NOT NULL AS isTenantSuspended, t.name AS tenantName,
        c.directory_requested_at IS NOT NULL AS hasDirectory, ${groupRule(signedOn)} AS groupRule,
        ${isProved(tenantId, domainOf(email), whileTested)} AS isDomainProved,
        ${isProved(tenantId, hostedDomain ?? "", whileTested)} AS isHostedDomainProved
      FROM connections c CROSS JOIN tenants t ON t.id = c.tenant_id
      WHERE c.id = ${connectionId} AND c.tenant_id = ${tenantId}`),
    account: rows<PossibleAccount>(sql`SELECT ${columns(sql`1`, isRemoved(tenantId, nowMs))}
      FROM connection_identities i CROSS JOIN users u ON u.id = i.user_id ${member} WHERE ${isOfSubject(signedOn)}`),
    addressed: rows<PossibleAccount>(sql`SELECT ${columns(subjectOfAccount, sql`0`)} FROM users u ${member}
      WHERE u.email = ${email} AND ${known} IS NULL`),
    named: rows<PossibleAccount>(sql`SELECT ${columns(subjectOfAccount, sql`0`)} FROM ${recordOf(signedOn)} r
      CROSS JOIN users u ON u.id = r.user_id ${member} LIMIT 1`),
    record: rows<{ isProvisioned: 0 | 1; isDeactivated: 0 | 1 }>(sql`SELECT
        (EXISTS (SELECT 1 FROM ${recordOf(signedOn)} r) OR EXISTS (SELECT 1 FROM directory_users o
          WHERE o.user_id = ${known} AND o.connection_id = ${connectionId} AND o.state = 'active')) AS isProvisioned,
        ${hasLeft(signedOn, {
          userId: sql`coalesce(${known}, (SELECT au.id FROM users au WHERE au.email = ${email}))`,
          email: sql`coalesce((SELECT ku.email FROM users ku WHERE ku.id = ${known}), ${email})`,
        })} AS isDeactivated
      WHERE ${hasRecords(tenantId)}`),
    invited:
      invitationHash === null || email === null
        ? undefined
        : rows<{ role: Role }>(sql`SELECT role FROM invitations WHERE tenant_id = ${tenantId}
            AND id = (${openByToken(invitationHash, email, nowMs)})`),
  });
  const [row] = connection;
  if (!row) return undefined;
  return {
    connection: parsed(row),
    known: account[0],
    addressed: addressed[0],
    named: named[0],
    isProvisioned: record[0]?.isProvisioned === 1,
    isDeactivated: record[0]?.isDeactivated === 1,
    invitedAs: invited?.[0]?.role ?? null,
  };
}

/** The domain of an address; empty without one. */
export const domainOf = (email: string | null): string => email?.slice(email.lastIndexOf("@") + 1) ?? "";

/** As SQLite returns it. */
type Stored<Row> = { [Name in keyof Row]: Row[Name] extends boolean ? 0 | 1 : Row[Name] };
type StoredConnection = Omit<Stored<PresentConnection>, "settings"> & { settings: string };

const parsed = (row: StoredConnection): PresentConnection => ({
  ...row,
  settings: JSON.parse(row.settings) as ConnectionSettings,
  isOpen: row.isOpen === 1,
  isTenantSuspended: row.isTenantSuspended === 1,
  hasDirectory: row.hasDirectory === 1,
  isDomainProved: row.isDomainProved === 1,
  isHostedDomainProved: row.isHostedDomainProved === 1,
});
