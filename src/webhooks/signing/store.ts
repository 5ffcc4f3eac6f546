/** The table `signing_keys` in the delivery databases. */
import { type SQL, sql } from "drizzle-orm";
import { type Db, query, rows } from "../../base/db/client";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { isLive } from "../plane/live-store";
import type { StoredKey } from "./keys";

/**
 * How many ended keys a subscription keeps, without their secrets, because the delivery log shows what signed an
 * attempt.
 */
const MAX_ENDED = 20;

const keyRows = (
  condition: SQL,
) => sql`(SELECT json_group_array(json_object('id', k.id, 'kind', k.kind, 'sealed', k.sealed,
  'startsAt', k.starts_at, 'expiresAt', k.expires_at)) FROM signing_keys k WHERE k.subscription_id = s.id
    AND ${condition})`;

/**
 * The keys, besides the present secret, that the subscription `s` may sign with from `nowMs` on, as SQL for
 * `parseKeys`. Reads no row for a subscription without public keys that has not rotated its secret.
 */
export const keysFrom = (nowMs: SQL | number): SQL => {
  const signsV1a = sql`s.options ->> '$.signature' = 'v1+v1a'`;
  return sql`CASE WHEN s.former_secrets_until > ${nowMs} OR ${signsV1a}
    THEN ${keyRows(sql`k.sealed <> '' AND (k.kind = 'v1' OR ${signsV1a})`)} END`;
};

/** Whether the signature profile of the subscription `s` takes any secret, and not only base64, as SQL. */
export const TAKES_ANY_SECRET: SQL = sql`s.options ->> '$.signatureProfile.key' IS NOT 'base64'`;

/** All stored keys of the subscription `s` besides the present secret, including ended ones, as SQL for `parseKeys`. */
export const ALL_KEYS: SQL = keyRows(sql`true`);

export const parseKeys = (stored: string | null): StoredKey[] =>
  stored === null ? [] : (JSON.parse(stored) as StoredKey[]);

const ofLive = (tenant: TenantRef, id: string) =>
  sql`subscription_id = (SELECT s.id FROM subscriptions s WHERE ${isLive(tenant, id)})`;

/** Ends the former secrets at once if `condition` on the subscription `s` holds. */
export const endFormerSecrets = (tenant: TenantRef, id: string, condition: SQL, nowMs: number): SQL =>
  sql`UPDATE signing_keys SET sealed = '', expires_at = ${nowMs} WHERE kind = 'v1' AND expires_at > ${nowMs}
    AND subscription_id = (SELECT s.id FROM subscriptions s WHERE ${isLive(tenant, id)} AND ${condition})`;

/** Ends the former secrets and former Ed25519 keys at once. Returns a row for each ended key. */
export const endFormerKeys = (tenant: TenantRef, id: string, nowMs: number) =>
  rows<{ id: string }>(sql`UPDATE signing_keys SET sealed = '', expires_at = ${nowMs}
    WHERE ${ofLive(tenant, id)} AND expires_at > ${nowMs} RETURNING id`);

/** Lets the newest Ed25519 key sign at once. */
export const startNewestKey = (tenant: TenantRef, id: string, nowMs: number): SQL =>
  sql`UPDATE signing_keys SET starts_at = ${nowMs}
    WHERE ${ofLive(tenant, id)} AND kind = 'v1a' AND expires_at IS NULL AND starts_at > ${nowMs}`;

/** Keeps the present secret of the subscription `s` as a former one, if `condition` holds. */
export const keepFormerSecret = (
  tenant: TenantRef,
  id: string,
  former: { id: string; sealed: string; expiresAt: number },
  condition: SQL,
): SQL =>
  sql`INSERT INTO signing_keys (subscription_id, id, kind, sealed, starts_at, expires_at)
    SELECT s.id, ${former.id}, 'v1', ${former.sealed}, coalesce(s.secret_since, s.created_at), ${former.expiresAt}
    FROM subscriptions s WHERE ${isLive(tenant, id)} AND ${condition}`;

/** An Ed25519 key pair, its private key encrypted. */
export interface NewPublicKey {
  id: string;
  sealed: string;
  publicKey: string;
}

/** Gives a subscription whose signature is "v1+v1a" its first Ed25519 key, if it has none. */
export const ensurePublicKey = (tenant: TenantRef, id: string, key: NewPublicKey, nowMs: number): SQL =>
  sql`INSERT INTO signing_keys (subscription_id, id, kind, sealed, public, starts_at)
    SELECT s.id, ${key.id}, 'v1a', ${key.sealed}, ${key.publicKey}, ${nowMs} FROM subscriptions s
    WHERE ${isLive(tenant, id)} AND s.options ->> '$.signature' = 'v1+v1a'
      AND NOT EXISTS (SELECT 1 FROM signing_keys k WHERE k.subscription_id = s.id AND k.kind = 'v1a'
        AND k.expires_at IS NULL)`;

/** Whether a former secret of the subscription `s` is stored. */
export const HAS_FORMER = sql`EXISTS (SELECT 1 FROM signing_keys k WHERE k.subscription_id = s.id AND k.kind = 'v1')`;

/** The number of former keys of a kind that the subscription `s` has at `nowMs`, as SQL. */
export const countFormer = (kind: StoredKey["kind"], nowMs: number): SQL =>
  sql`(SELECT count(*) FROM signing_keys k WHERE k.subscription_id = s.id AND k.kind = ${kind}
    AND k.expires_at > ${nowMs})`;

/** Deletes the oldest ended keys of a subscription, so that `MAX_ENDED` are left. */
export const pruneEnded = (tenant: TenantRef, id: string): SQL =>
  sql`DELETE FROM signing_keys WHERE ${ofLive(tenant, id)} AND sealed = '' AND id NOT IN (
    SELECT k.id FROM signing_keys k WHERE k.subscription_id = ${id} AND k.sealed = '' ORDER BY k.id DESC
      LIMIT ${MAX_ENDED})`;

/** Deletes all keys of the tenant's subscription. */
export const deleteKeys = (tenant: TenantRef, id: string): SQL =>
  sql`DELETE FROM signing_keys WHERE ${ofLive(tenant, id)}`;

/** Erases the secrets of expired keys, across the tenants of one database. Returns how many. */
export async function removeExpiredSecrets(db: Db, nowMs: number): Promise<number> {
  const removed = await query<{ id: string }>(db)`UPDATE signing_keys SET sealed = ''
    WHERE sealed <> '' AND expires_at IS NOT NULL AND expires_at <= ${nowMs} RETURNING id`;
  return removed.length;
}

/** A published key. */
export interface PublicKeyRow {
  /** In base64. */
  publicKey: string;
  startsAt: number;
  expiresAt: number | null;
}

/**
 * Returns the public keys of a subscription, newest first. Takes no tenant, because they are public and subscribers
 * only know the id.
 */
export async function readPublicKeys(db: Db, subscriptionId: string, nowMs: number): Promise<PublicKeyRow[]> {
  return query<PublicKeyRow>(db)`SELECT k.public AS publicKey, k.starts_at AS startsAt, k.expires_at AS expiresAt
    FROM subscriptions s CROSS JOIN signing_keys k ON k.subscription_id = s.id
    WHERE s.id = ${subscriptionId} AND s.is_deleted = 0 AND k.kind = 'v1a' AND (k.expires_at IS NULL
      OR k.expires_at > ${nowMs})
    ORDER BY k.id DESC`;
}

/** A key, other than the present secret, that is valid or will be. Without its secret. */
export interface ValidKeyRow {
  kind: StoredKey["kind"];
  publicKey: string | null;
  startsAt: number;
  expiresAt: number | null;
}

/** The keys of the tenant's subscription that have not ended, newest first, without their secrets. */
export async function readValidKeys(db: Db, tenant: TenantRef, id: string, nowMs: number): Promise<ValidKeyRow[]> {
  return query<ValidKeyRow>(db)`SELECT k.kind, k.public AS publicKey, k.starts_at AS startsAt, k.expires_at AS expiresAt
  FROM subscriptions s CROSS JOIN signing_keys k ON k.subscription_id = s.id AND (k.expires_at IS NULL
    OR k.expires_at > ${nowMs})
  WHERE ${isLive(tenant, id)} ORDER BY k.id DESC`;
}
