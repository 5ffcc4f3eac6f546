/** Of what owners are told once a day, in D1, across tenants. */
import { sql } from "drizzle-orm";
import { atomically, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { DAY_MS } from "../../base/time";

/** A directory, and how many people it has brought and lost, or left without a role, since owners were last told. */
export interface Digest {
  connectionId: string;
  tenantId: string;
  name: string;
  joined: number;
  left: number;
  /** Whether it has not called for a week, and nobody was told of that. */
  isSilent: 0 | 1;
}

/** A directory that calls no more at all; most do so every 40 minutes. */
const SILENT_DAYS = 7;

/** The directories after a connection, by their ids, of the first day since they were told of. Times are Unix ms. */
export async function readDigests(
  { db }: Deps,
  after: string,
  { limit, sinceMs, nowMs }: { limit: number; sinceMs: number; nowMs: number },
): Promise<Digest[]> {
  return query<Digest>(db)`SELECT c.id AS connectionId, c.tenant_id AS tenantId, c.name,
      (SELECT count(*) FROM directory_users d WHERE d.connection_id = c.id
        AND d.updated_at > coalesce(c.directory_told_at, ${sinceMs}) AND d.state = 'active'
        AND d.state_at > coalesce(c.directory_told_at, ${sinceMs})) AS joined,
      (SELECT count(*) FROM directory_users d WHERE d.connection_id = c.id
        AND d.updated_at > coalesce(c.directory_told_at, ${sinceMs})
        AND (d.state IN ('inactive', 'removed') OR (d.reason = 'no_role' AND d.state_at > d.created_at))
        AND d.state_at > coalesce(c.directory_told_at, ${sinceMs})) AS left,
      c.state <> 'disabled' AND c.directory_requested_at <= ${nowMs - SILENT_DAYS * DAY_MS}
        AND coalesce(c.directory_silent_at, 0) < c.directory_requested_at AS isSilent
    FROM connections c WHERE c.id > ${after} AND c.directory_requested_at IS NOT NULL ORDER BY c.id LIMIT ${limit}`;
}

/** Notes up to when owners were told. */
export async function noteDigest({ db }: Deps, { connectionId, tenantId }: Digest, nowMs: number): Promise<void> {
  await query(db)`UPDATE connections SET directory_told_at = ${nowMs} WHERE id = ${connectionId}
    AND tenant_id = ${tenantId}`;
}

/** Notes that nobody need be told again before it has called. */
export async function noteSilence({ db }: Deps, { connectionId, tenantId }: Digest, nowMs: number): Promise<void> {
  await query(db)`UPDATE connections SET directory_silent_at = ${nowMs} WHERE id = ${connectionId}
    AND tenant_id = ${tenantId}`;
}

/** A token that ends soon. */
export interface EndingToken {
  tenantId: string;
  name: string;
  days: number;
}

/** How many days before their end owners are told. */
const TOLD_DAYS = [1, 7, 30];

/** The tokens that end within 30, 7 or 1 days, of which owners were not told; notes that they are. */
export async function takeEndingTokens({ db }: Deps, nowMs: number, limit: number): Promise<EndingToken[]> {
  const days = sql.join(
    TOLD_DAYS.map((one) => sql`WHEN expires_at <= ${nowMs + one * DAY_MS} THEN ${one}`),
    sql` `,
  );
  const { taken } = await atomically(db, {
    taken: rows<EndingToken>(sql`UPDATE scim_tokens SET told_days = CASE ${days} END
      WHERE hash IN (SELECT hash FROM scim_tokens WHERE expires_at > ${nowMs}
        AND expires_at <= ${nowMs + 30 * DAY_MS} AND coalesce(told_days, 31) > CASE ${days} END LIMIT ${limit})
      RETURNING tenant_id AS tenantId, told_days AS days,
        (SELECT c.name FROM connections c WHERE c.id = connection_id) AS name`),
  });
  return taken;
}
