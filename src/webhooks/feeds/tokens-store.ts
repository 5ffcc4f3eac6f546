/** The tokens of feeds in the control plane, stored as SHA-256. */
import { sql } from "drizzle-orm";
import { atomically, prepared, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ActingIn } from "../../base/schemas/actor";
import { auditOf } from "../../tenancy/audit/record-store";
import { STANDING_COLUMNS, type Standing, type StandingRow, standingOf } from "../../tenancy/tenants/standing-store";

/** A token to store, without the token itself. */
export interface NewFeedToken {
  tenantId: string;
  feedId: string;
  hash: string;
  prefix: string;
  /** The user to whom it is shown; null: a program that belongs to no user. */
  madeBy: string | null;
}

const insert = ({ hash, tenantId, feedId, prefix, madeBy }: NewFeedToken, nowMs: number) =>
  sql`INSERT INTO feed_tokens (hash, tenant_id, feed_id, prefix, made_by, created_at)
    VALUES (${hash}, ${tenantId}, ${feedId}, ${prefix}, ${madeBy}, ${nowMs})`;

/** Stores the first token of a feed. From then on, publishes of the tenant write entries. */
export async function insertToken({ db }: Deps, token: NewFeedToken, nowMs: number): Promise<void> {
  await atomically(db, { inserted: insert(token, nowMs) });
}

/** Beyond this number, the oldest former token ends with a rotation. */
export const MAX_FORMER = 10;

/** Stores a new token, and ends the former ones at `formerUntilMs` or when they end anyway. */
export async function replaceToken(
  { db }: Deps,
  tenant: ActingIn,
  token: NewFeedToken,
  { formerUntilMs, nowMs }: { formerUntilMs: number; nowMs: number },
): Promise<void> {
  const ofFeed = sql`tenant_id = ${tenant.tenantId} AND feed_id = ${token.feedId}`;
  await atomically(db, {
    limited: sql`UPDATE feed_tokens SET expires_at = min(coalesce(expires_at, ${formerUntilMs}), ${formerUntilMs})
      WHERE ${ofFeed}`,
    ended: sql`DELETE FROM feed_tokens WHERE ${ofFeed} AND (expires_at <= ${nowMs} OR hash NOT IN (SELECT hash
      FROM feed_tokens WHERE ${ofFeed} ORDER BY created_at DESC LIMIT ${MAX_FORMER}))`,
    inserted: insert(token, nowMs),
    recorded: auditOf(tenant, "feed.token_rotated", { kind: "feed", id: token.feedId }),
  });
}

/** A token that works. */
export interface WorkingToken {
  feedId: string;
  prefix: string;
  /** Unix ms. */
  createdAt: number;
}

/** The tokens of a tenant that a user was shown and that work, newest first. */
export async function tokensMadeBy({ db, now }: Deps, tenantId: string, userId: string): Promise<WorkingToken[]> {
  return query<WorkingToken>(db)`SELECT feed_id AS feedId, prefix, created_at AS createdAt FROM feed_tokens
    WHERE tenant_id = ${tenantId} AND made_by = ${userId} AND (expires_at IS NULL OR expires_at > ${now()})
    ORDER BY created_at DESC`;
}

/** Removes the tokens of a feed. */
export async function deleteTokens({ db }: Deps, tenantId: string, feedId: string): Promise<void> {
  await query(db)`DELETE FROM feed_tokens WHERE tenant_id = ${tenantId} AND feed_id = ${feedId}`;
}

/** The first characters of the newest token of each feed of a tenant, by the feed's id. */
export async function tokenPrefixes({ db }: Deps, tenantId: string): Promise<Map<string, string>> {
  const found = await query<{ feedId: string; prefix: string }>(db)`SELECT feed_id AS feedId, prefix FROM feed_tokens
    WHERE tenant_id = ${tenantId} ORDER BY expires_at IS NULL, created_at`;
  return new Map(found.map(({ feedId, prefix }) => [feedId, prefix]));
}

type Found = StandingRow & { feedId: string; prefix: string };

const byHash = prepared<Found>(sql`SELECT f.feed_id AS feedId, f.prefix, ${STANDING_COLUMNS}
  FROM feed_tokens f JOIN tenants t ON t.id = f.tenant_id
  WHERE f.hash = ${sql.placeholder("hash")} AND (f.expires_at IS NULL OR f.expires_at > ${sql.placeholder("nowMs")})`);

/** The feed of a token, with its tenant. Looks across tenants: the token determines the tenant. */
export async function findByTokenHash(
  { db }: Deps,
  hash: string,
  nowMs: number,
): Promise<{ feedId: string; prefix: string; tenant: Standing } | null> {
  const [row] = await byHash(db, { hash, nowMs });
  return row ? { feedId: row.feedId, prefix: row.prefix, tenant: standingOf(row) } : null;
}
