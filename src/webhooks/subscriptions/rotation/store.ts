/** Replacing the keys of a subscription, in one atomic write that does nothing if another rotation came first. */
import { type SQL, sql } from "drizzle-orm";
import { queryFirst, rows } from "../../../base/db/client";
import type { Deps } from "../../../base/deps";
import type { ActingIn } from "../../../base/schemas/actor";
import type { TenantRef } from "../../../base/schemas/tenant-ref";
import { auditWebhooks } from "../../../tenancy/audit/record-store";
import { hasUrl } from "../../plane/live-store";
import { sendOperational } from "../../plane/operational";
import { isoSql, publishOperational } from "../../plane/operational-store";
import { writeBatch } from "../../plane/write";
import {
  countFormer,
  endFormerKeys,
  keepFormerSecret,
  pruneEnded,
  startNewestKey,
  TAKES_ANY_SECRET,
} from "../../signing/store";
import { mirrorChange } from "../mirror";

/** The most former keys of one kind that a subscription may have at a time. */
export const MAX_FORMER_KEYS = 3;

export type RotationOutcome =
  | { state: "rotated"; formerExpireAt: number[] }
  | { state: "too many" }
  | { state: "changed meanwhile" };

interface SecretReplacement {
  /** The ciphertext that the caller has read. If it differs now, somebody has changed the secret in the meantime. */
  expectedSealed: string;
  secretSealed: string;
  secretDigest: string;
  /** Whether a signature profile that needs base64 takes the new secret. */
  isBase64: boolean;
  former: { id: string; sealed: string; expiresAt: number };
}

const hasKey = (keyId: string) =>
  sql`EXISTS (SELECT 1 FROM signing_keys n WHERE n.subscription_id = s.id AND n.id = ${keyId})`;

const formerKeys = (tenant: TenantRef, id: string, kind: "v1" | "v1a", nowMs: number) =>
  rows<{ expiresAt: number }>(sql`SELECT k.expires_at AS expiresAt FROM subscriptions s CROSS JOIN signing_keys k
    ON k.subscription_id = s.id AND k.kind = ${kind} AND k.expires_at > ${nowMs} WHERE ${hasUrl(tenant, id)}
      ORDER BY k.id DESC`);

const isCurrent = (tenant: TenantRef, id: string, condition: SQL) =>
  rows<{ id: string }>(sql`SELECT s.id FROM subscriptions s WHERE ${hasUrl(tenant, id)} AND ${condition}`);

/** Replaces the secret, and keeps the old one as a former key until it expires. */
export async function replaceSecret(
  deps: Deps,
  tenant: ActingIn,
  id: string,
  { expectedSealed, secretSealed, secretDigest, isBase64, former }: SecretReplacement,
  nowMs: number,
): Promise<RotationOutcome> {
  const isExpected = sql`s.secret_sealed = ${expectedSealed} AND (${isBase64 ? sql`true` : TAKES_ANY_SECRET})`;
  // A secret that ends at once does not count, so that a leaked secret can always be replaced.
  const hasRoom = former.expiresAt <= nowMs ? sql`true` : sql`${countFormer("v1", nowMs)} < ${MAX_FORMER_KEYS}`;
  const { expected, replaced, left, told } = await writeBatch(deps, tenant, {
    expected: isCurrent(tenant, id, isExpected),
    kept: keepFormerSecret(tenant, id, former, sql`${isExpected} AND ${hasRoom}`),
    replaced: rows<{
      id: string;
    }>(sql`UPDATE subscriptions AS s SET secret_sealed = ${secretSealed}, secret_digest = ${secretDigest},
        secret_since = ${nowMs}, former_secrets_until = max(former_secrets_until, ${former.expiresAt}),
        version = version + 1, updated_at = ${nowMs}
      WHERE ${hasUrl(tenant, id)} AND ${hasKey(former.id)} RETURNING id`),
    told: publishRotated(tenant, id, "v1", former, nowMs),
    recorded: auditRotated(tenant, id, "v1", former, nowMs),
    pruned: pruneEnded(tenant, id),
    left: formerKeys(tenant, id, "v1", nowMs),
  });
  await mirrorChange(deps, tenant, id);
  sendOperational(deps, tenant.shard, told);
  return outcomeOf(expected, replaced, left);
}

/** Returns the id of the Ed25519 key that has no end yet; undefined when there is none. */
export async function newestKeyId(deps: Deps, tenant: TenantRef, id: string): Promise<string | undefined> {
  const found = await queryFirst<{ id: string }>(deps.shards.db(tenant.shard))`SELECT k.id FROM subscriptions s
    CROSS JOIN signing_keys k ON k.subscription_id = s.id AND k.kind = 'v1a' AND k.expires_at IS NULL
    WHERE ${hasUrl(tenant, id)}`;
  return found?.id;
}

interface KeyReplacement {
  /** The newest key that the caller has read. */
  expectedId: string;
  next: { id: string; sealed: string; publicKey: string; startsAt: number };
  formerExpiresAt: number;
}

/** Adds an Ed25519 key that signs from `startsAt` on, and sets the end of the previous key. */
export async function replaceKey(
  deps: Deps,
  tenant: ActingIn,
  id: string,
  { expectedId, next, formerExpiresAt }: KeyReplacement,
  nowMs: number,
): Promise<RotationOutcome> {
  const isExpected = sql`EXISTS (SELECT 1 FROM signing_keys e WHERE e.subscription_id = s.id AND e.id = ${expectedId}
    AND e.expires_at IS NULL)`;
  const { expected, replaced, left, told } = await writeBatch(deps, tenant, {
    expected: isCurrent(tenant, id, isExpected),
    added: sql`INSERT INTO signing_keys (subscription_id, id, kind, sealed, public, starts_at)
      SELECT s.id, ${next.id}, 'v1a', ${next.sealed}, ${next.publicKey}, ${next.startsAt} FROM subscriptions s
      WHERE ${hasUrl(tenant, id)} AND ${isExpected} AND ${countFormer("v1a", nowMs)} < ${MAX_FORMER_KEYS}`,
    ending: sql`UPDATE signing_keys SET expires_at = ${formerExpiresAt} WHERE id = ${expectedId}
      AND subscription_id = (SELECT s.id FROM subscriptions s WHERE ${hasUrl(tenant, id)}
        AND ${hasKey(next.id)})`,
    replaced: rows<{ id: string }>(sql`UPDATE subscriptions AS s SET version = version + 1, updated_at = ${nowMs}
      WHERE ${hasUrl(tenant, id)} AND ${hasKey(next.id)} RETURNING id`),
    told: publishRotated(tenant, id, "v1a", next, nowMs, formerExpiresAt),
    recorded: auditRotated(tenant, id, "v1a", next, nowMs),
    pruned: pruneEnded(tenant, id),
    left: formerKeys(tenant, id, "v1a", nowMs),
  });
  await mirrorChange(deps, tenant, id);
  sendOperational(deps, tenant.shard, told);
  return outcomeOf(expected, replaced, left);
}

/** Publishes that the key with this id has just been written, and when the previous key ends. */
const publishRotated = (
  tenant: TenantRef,
  id: string,
  kind: "v1" | "v1a",
  { id: keyId }: { id: string },
  nowMs: number,
  endsAt:
    | SQL
    | number = sql`(SELECT k.expires_at FROM signing_keys k WHERE k.subscription_id = s.id AND k.id = ${keyId})`,
) =>
  publishOperational("postern.webhook.secret_rotated", withKey(tenant, id, keyId), nowMs, {
    data: sql`'kind', ${kind}, 'previousExpiresAt', ${isoSql(endsAt)}`,
  });

const auditRotated = (tenant: ActingIn, id: string, kind: "v1" | "v1a", key: { id: string }, nowMs: number) =>
  auditWebhooks("webhook.secret_rotated", tenant.actor, withKey(tenant, id, key.id), nowMs, sql`'kind', ${kind}`);

const withKey = (tenant: TenantRef, id: string, keyId: string) =>
  sql`subscriptions s WHERE ${hasUrl(tenant, id)} AND ${hasKey(keyId)}`;

function outcomeOf(
  expected: readonly unknown[],
  replaced: readonly unknown[],
  left: readonly { expiresAt: number }[],
): RotationOutcome {
  if (replaced.length > 0) return { state: "rotated", formerExpireAt: left.map(({ expiresAt }) => expiresAt) };
  return { state: expected.length > 0 ? "too many" : "changed meanwhile" };
}

/**
 * Ends all former keys, and lets a new Ed25519 key sign at once. Returns false when the tenant has no such
 * subscription.
 */
export async function endFormer(deps: Deps, tenant: ActingIn, id: string, nowMs: number): Promise<boolean> {
  const hasFormer = sql`EXISTS (SELECT 1 FROM signing_keys k WHERE k.subscription_id = s.id
    AND k.expires_at > ${nowMs})`;
  const affected = sql`subscriptions s WHERE ${hasUrl(tenant, id)} AND ${hasFormer}`;
  const { found, told } = await writeBatch(deps, tenant, {
    found: isCurrent(tenant, id, sql`true`),
    told: publishOperational("postern.webhook.secret_ended", affected, nowMs),
    recorded: auditWebhooks("webhook.secret_ended", tenant.actor, affected, nowMs),
    // Like the statements above, before `ended`, because they apply only if there are keys to end.
    changed: sql`UPDATE subscriptions AS s SET former_secrets_until = min(former_secrets_until, ${nowMs}), version =
      version + 1,
      updated_at = ${nowMs} WHERE ${hasUrl(tenant, id)} AND ${hasFormer}`,
    started: startNewestKey(tenant, id, nowMs),
    ended: endFormerKeys(tenant, id, nowMs),
  });
  await mirrorChange(deps, tenant, id);
  sendOperational(deps, tenant.shard, told);
  return found.length > 0;
}
