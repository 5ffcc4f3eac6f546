/**
 * The accounts that a record may be of, in D1: its own, that of its subject, and that of its address. They are read in
 * the trip that authenticates the caller, so the statements find the tenant through the connection.
 */
import { type SQL, sql } from "drizzle-orm";
import { rows } from "../../base/db/client";
import type { Role } from "../../base/schemas/roles";
import { isManaged } from "../../sign-on/people/managed-store";
import { domainOf, isProved, isRemoved } from "../../sign-on/people/world-store";
import { tenantOf } from "../callers/store";

/** An account that a record may be of. */
export interface DirectoryAccount {
  userId: string;
  email: string;
  name: string | null;
  isVerified: 0 | 1;
  isSuspended: 0 | 1;
  /** In the tenant of the directory; null: no member. */
  role: Role | null;
  /** Whether somebody has removed the person since, and nobody has added or invited them again. */
  isRemoved: 0 | 1;
  /** The record of this directory that the account has; null: none. */
  recordId: string | null;
  /** Whether the connection has made it, and it has nothing else. */
  isManaged: 0 | 1;
}

/** What names the account. */
export interface Named {
  /** The record; null: it is new. */
  recordId: string | null;
  /** In the form that identifies accounts; null: there is none. */
  email: string | null;
  externalId: string | null;
}

/** Of a user `u`, for the connection `c`. `own`: of the record `d`. */
const columns = (connectionId: string, nowMs: number, own = false): SQL => sql`u.id AS userId, u.email, u.name,
  u.email_verified_at IS NOT NULL AS isVerified, u.suspended_at IS NOT NULL AS isSuspended,
  (SELECT m.role FROM memberships m WHERE m.tenant_id = c.tenant_id AND m.user_id = u.id) AS role,
  EXISTS (SELECT 1 FROM connection_identities i INDEXED BY connection_identities_by_user
    WHERE i.user_id = u.id AND i.connection_id = ${connectionId}
      AND ${isRemoved(sql`c.tenant_id`, nowMs)}) AS isRemoved,
  ${
    own
      ? sql`d.id`
      : sql`(SELECT r.id FROM directory_users r WHERE r.user_id = u.id AND r.connection_id = ${connectionId}
          AND r.state <> 'removed' LIMIT 1)`
  } AS recordId,
  ${isManaged(connectionId, sql`c.tenant_id`, own ? sql`d.is_maker = 1` : sql`false`)} AS isManaged`;

/** The account of a record. */
export const ownAccount = (connectionId: string, recordId: string, nowMs: number) =>
  rows<DirectoryAccount>(sql`SELECT ${columns(connectionId, nowMs, true)} FROM directory_users d
    CROSS JOIN connections c ON c.id = d.connection_id CROSS JOIN users u ON u.id = d.user_id
    WHERE d.connection_id = ${connectionId} AND d.id = ${recordId}`);

/** What is known of whom a record names. Statements of one batch. */
export function readsOfNamed(connectionId: string, { recordId, email, externalId }: Named, nowMs: number) {
  return {
    own: recordId === null ? undefined : ownAccount(connectionId, recordId, nowMs),
    addressed:
      email === null
        ? undefined
        : rows<DirectoryAccount>(sql`SELECT ${columns(connectionId, nowMs)} FROM users u
            CROSS JOIN connections c ON c.id = ${connectionId} WHERE u.email = ${email}`),
    bySubject:
      externalId === null
        ? undefined
        : rows<DirectoryAccount>(sql`SELECT ${columns(connectionId, nowMs)} FROM connections c
            CROSS JOIN connection_identities s ON s.connection_id = c.id AND s.generation = c.generation
              AND s.subject = ${externalId}
            CROSS JOIN users u ON u.id = s.user_id WHERE c.id = ${connectionId}`),
    proved:
      email === null
        ? undefined
        : rows<{ is: 0 | 1 }>(sql`SELECT ${isProved(tenantOf(connectionId), domainOf(email))} AS "is"`),
    tombstones: rows<{ id: string }>(sql`SELECT d.id FROM directory_users d INDEXED BY directory_users_by_email
      WHERE d.connection_id = ${connectionId} AND d.email = ${email} AND d.state = 'removed'`),
  };
}

/** What those have found. */
export interface DirectoryWorld {
  own: DirectoryAccount | undefined;
  addressed: DirectoryAccount | undefined;
  bySubject: DirectoryAccount | undefined;
  isDomainProved: boolean;
  /** Whether a record with the address was removed, which keeps its account out. */
  hasTombstone: boolean;
}

export const worldOf = (found: {
  own?: DirectoryAccount[];
  addressed: DirectoryAccount[];
  bySubject: DirectoryAccount[];
  proved: { is: 0 | 1 }[];
  tombstones: { id: string }[];
}): DirectoryWorld => ({
  own: found.own?.[0],
  addressed: found.addressed[0],
  bySubject: found.bySubject[0],
  isDomainProved: found.proved[0]?.is === 1,
  hasTombstone: found.tombstones.length > 0,
});
