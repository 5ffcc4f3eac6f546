/**
 * Which access tokens are revoked before they expire. A service that verifies tokens itself learns it from a list, so
 * every change that ends sessions or makes a token say something wrong writes a row into its own batch. Only this file
 * deletes sessions, so that none can be ended without it.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { SECOND_FACTOR_OF_SESSION_DUE } from "./due-store";

/**
 * How long a revoked token could still be used: its 15 minutes, and the one in which a repeated refresh gives another
 * one without moving the session on.
 */
export const REVOCABLE_SECONDS = 960;
const REVOCABLE_MS = REVOCABLE_SECONDS * 1000;

/** Where a batch waits for the database, tokens may be issued in between: then the time of the database counts. */
const revokedAt = (nowMs: number): SQL =>
  sql`max(${Math.ceil(nowMs / 1000)}, CAST(unixepoch('subsec') + 0.999 AS INTEGER))`;

/** `userId` is whose session ends, so that one person's sessions cannot fill the list. */
const revoke = (key: SQL, from: SQL, nowMs: number, userId = sql`NULL`): SQL =>
  sql`INSERT OR IGNORE INTO revocations (at, key, user_id) SELECT ${revokedAt(nowMs)}, ${key}, ${userId} FROM ${from}`;

/** Revokes the tokens of the sessions for which `condition` holds, in their present tenants. */
export const revokeSessions = (condition: SQL, nowMs: number): SQL =>
  revoke(
    sql`'s:' || id || ':' || tenant_id`,
    sql`sessions WHERE rotated_at > ${nowMs - REVOCABLE_MS} AND (${condition})`,
    nowMs,
    sql`user_id`,
  );

/** Beyond so many rows of its members, one row of the tenant stands for them. */
const MOST_ROWS_OF_TENANT = 1_000;

/** Revokes the tokens of the memberships for which `condition` holds. Must come before what changes the role. */
export const revokeMembers = (condition: SQL, nowMs: number): SQL =>
  revoke(
    sql`iif(count(*) OVER (PARTITION BY tenant_id) > ${MOST_ROWS_OF_TENANT}, 't:' || tenant_id,
      'm:' || tenant_id || ':' || user_id)`,
    sql`memberships WHERE (${condition})`,
    nowMs,
  );

/**
 * Revokes the tokens of the memberships for which `condition` holds, as far as they have a session that owes a second
 * factor, now or at the end of a grace period. Must come after what makes them owe it.
 */
export const revokeWithoutFactor = (condition: SQL, nowMs: number): SQL =>
  revokeMembers(
    sql`(${condition}) AND EXISTS (SELECT 1 FROM sessions WHERE sessions.user_id = memberships.user_id
      AND sessions.tenant_id = memberships.tenant_id AND sessions.rotated_at > ${nowMs - REVOCABLE_MS}
      AND ${SECOND_FACTOR_OF_SESSION_DUE} IS NOT NULL)`,
    nowMs,
  );

/** Revokes the tokens of everybody in the tenants for which `condition` holds. */
export const revokeTenants = (condition: SQL, nowMs: number): SQL =>
  revoke(sql`'t:' || id`, sql`tenants WHERE (${condition})`, nowMs);

/** Ends the sessions for which `condition` holds, with their tokens. Returns a row for each. */
export const endSessions = (condition: SQL, nowMs: number): SQL[] => [
  revokeSessions(condition, nowMs),
  sql`DELETE FROM sessions WHERE (${condition}) RETURNING id`,
];

/**
 * Ends the sessions of a person, and the offline grants of apps: of all of them, or only of the operator's own, which
 * ask nobody and so are no more than a session. `condition` holds for rows of `sessions` and of `oauth_grants` alike:
 * it names `user_id`, and `id` at most to leave a session out.
 */
export const endSessionsAndApps = (condition: SQL, apps: "all" | "own", nowMs: number): SQL[] => [
  sql`DELETE FROM oauth_grants WHERE (${condition}) AND session_id = id ${
    apps === "all"
      ? sql``
      : sql`AND client_id IN (SELECT c.id FROM oauth_clients c WHERE c.settings ->> '$.consent' = 'skip')`
  }`,
  // Last: audit events ask whether it has changed a row.
  ...endSessions(condition, nowMs),
];

/**
 * Ends the sessions of members in their tenants. `condition` holds for rows of `memberships` and of `sessions` alike:
 * it names `tenant_id` and `user_id`. Must come before the memberships end.
 */
export const endSessionsOfMembers = (condition: SQL, nowMs: number): SQL[] => [
  revokeMembers(condition, nowMs),
  sql`DELETE FROM sessions WHERE (${condition})`,
  // A session of another tenant may have signed in to apps in this one.
  sql`DELETE FROM oauth_grants WHERE (${condition})`,
  sql`DELETE FROM oauth_consents WHERE (${condition})`,
];

/**
 * Ends the sessions of a user who may not sign in again. For everybody else use `endSessions`: a sign-in that follows
 * at once would get a token that counts as revoked. Must come before the memberships and the user are deleted.
 */
export const endSessionsForGood = (userId: string, condition: SQL, nowMs: number): SQL[] => [
  // Thousands of accounts that nobody uses may be deleted in a minute: without a token they take no room in the list.
  sql`INSERT OR IGNORE INTO revocations (at, key, tenants) SELECT ${revokedAt(nowMs)}, 'u:' || id,
      (SELECT json_group_array(rm.tenant_id) FROM memberships rm WHERE rm.user_id = ${userId})
    FROM users WHERE id = ${userId} AND (${condition}) AND (
      EXISTS (SELECT 1 FROM sessions rs WHERE rs.user_id = ${userId})
      OR EXISTS (SELECT 1 FROM oauth_grants rg WHERE rg.user_id = ${userId}))`,
  sql`DELETE FROM oauth_grants WHERE user_id = ${userId} AND (${condition})`,
  sql`DELETE FROM sessions WHERE user_id = ${userId} AND (${condition})`,
];

/**
 * Ends everybody's sessions in tenants that are deleted. `tenants` selects their ids. Must come before the memberships.
 */
export const endSessionsOfTenants = (tenants: SQL, nowMs: number): SQL[] => [
  revokeTenants(sql`id IN ${tenants}`, nowMs),
  sql`DELETE FROM sessions WHERE id IN (SELECT s.id FROM memberships m CROSS
    JOIN sessions s ON s.user_id = m.user_id
    AND s.tenant_id = m.tenant_id WHERE m.tenant_id IN ${tenants})`,
];

/** A revocation; `at` is in Unix seconds. */
export interface Revocation {
  at: number;
  key: string;
}

/** One that the list has, and how many keys its tenant has. */
export type ListedRevocation = Revocation & { keys: number };

/** The most keys of one member's sessions in a tenant. Beyond them, the member's key stands for all of them. */
const MOST_KEYS_OF_MEMBER = 50;

/** The tenant that a key names; NULL for the key of a user. */
const tenantOf = sql`CASE substr(key, 1, 2) WHEN 's:' THEN substr(key, 3 + instr(substr(key, 3), ':'))
  WHEN 'm:' THEN substr(key, 3, instr(substr(key, 3), ':') - 1) WHEN 't:' THEN substr(key, 3) END`;

/** How the list is kept short. */
interface Shortening {
  /** The most keys of one tenant. */
  mostOfTenant: number;
  /** Whether the tenants of a user stand for the user: each token of theirs names one of them. */
  withoutUsers?: boolean;
  limit: number;
}

/**
 * The revocations of all tenants after `afterSeconds`, each key once with its latest time, at most `limit`. One key
 * stands for a member, or for a tenant, with too many keys, so that neither can fill the list of everybody.
 */
export async function readRevocations(
  { db }: Pick<Deps, "db">,
  afterSeconds: number,
  { mostOfTenant, withoutUsers = false, limit }: Shortening,
) {
  return query<ListedRevocation>(db)`
    WITH written AS (SELECT key, max(at) AS at, max(user_id) AS userId, max(tenants) AS tenants, ${tenantOf} AS tenantId
      FROM revocations WHERE at > ${afterSeconds} GROUP BY key),
    latest AS (SELECT iif(j.value IS NULL, written.key, 't:' || j.value) AS key, written.at,
        userId,
        coalesce(j.value, tenantId) AS tenantId
      FROM written LEFT JOIN json_each(iif(${Number(withoutUsers)}, tenants, NULL)) j),
    byMember AS (SELECT *, count(*) OVER (PARTITION BY tenantId, userId) AS keys FROM latest),
    shortened AS (SELECT iif(userId IS NULL OR keys <= ${MOST_KEYS_OF_MEMBER}, key, 'm:' || tenantId || ':' || userId)
        AS key, max(at) AS at, tenantId FROM byMember GROUP BY 1, 3),
    byTenant AS (SELECT *, count(*) OVER (PARTITION BY tenantId) AS keys FROM shortened)
    SELECT iif(tenantId IS NULL OR keys <= ${mostOfTenant}, key, 't:' || tenantId) AS key, max(at) AS at, keys
      FROM byTenant GROUP BY 1 ORDER BY 2 DESC, 1 DESC LIMIT ${limit}`;
}

/** The tenant with the most keys, if those are too many to read them once a second. */
export const largestCrowd = (found: readonly ListedRevocation[]): Revocation | undefined =>
  found
    .filter(({ key, keys }) => key.startsWith("t:") && keys > MOST_ROWS_OF_TENANT)
    .sort((one, other) => other.keys - one.keys)[0];

/** How many rows go at once. */
const FOLDED_ROWS = 10_000;

/**
 * Writes one row for a tenant, and removes those of its members and their sessions that it stands for. Revocations that
 * are written meanwhile are later, and stay. Those of programs stay too: introspection asks for their own keys.
 */
export async function foldTenant({ db }: Pick<Deps, "db">, { at, key }: Revocation, afterSeconds: number) {
  await atomically(db, {
    folded: sql`INSERT OR IGNORE INTO revocations (at, key) VALUES (${at}, ${key})`,
    covered: sql`DELETE FROM revocations WHERE (at, key) IN (SELECT at, key FROM revocations
      WHERE at > ${afterSeconds} AND at <= ${at} AND ${tenantOf} = substr(${key}, 3)
        AND (key LIKE 'm:%' OR (key LIKE 's:%' AND user_id IS NOT NULL)) LIMIT ${FOLDED_ROWS})`,
  });
}
