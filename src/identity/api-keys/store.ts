/** API keys in D1, stored as SHA-256. */
import { and, desc, eq, gt, isNull, or, sql } from "drizzle-orm";
import { atomically, jsonList, prepared } from "../../platform/db/client";
import { apiKeys } from "../../platform/db/schema";
import type { Deps } from "../../platform/deps";
import { insertRevert, type NewRevert } from "../../platform/mail/revert-store";
import type { ActingIn, Actor } from "../../platform/schemas/actor";
import type { Permission } from "../../platform/schemas/roles";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { STANDING_COLUMNS, type StandingRow } from "../../tenancy/tenants/standing-store";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/**
 * Stores a new key, and the link that undoes it. Returns false when its user already has the maximum number of active
 * keys.
 */
export async function insertApiKey(
  { db, config }: Deps,
  row: ApiKeyRow,
  revert: NewRevert,
  actor: Actor,
): Promise<boolean> {
  const { inserted } = await atomically(db, {
    inserted: sql`INSERT INTO api_keys (id, tenant_id, user_id, name, prefix, key_hash, scopes, created_at, expires_at)
      SELECT ${row.id}, ${row.tenantId}, ${row.userId}, ${row.name}, ${row.prefix}, ${row.keyHash},
        ${jsonList(row.scopes)},
        ${row.createdAt}, ${row.expiresAt}
      WHERE (SELECT count(*) FROM api_keys WHERE user_id = ${row.userId}
        AND ${active(row.createdAt)}) < ${config.caps.apiKeys}
      RETURNING id`,
    recorded: auditIfChanged({
      tenantId: row.tenantId,
      action: "api_key.created",
      actor,
      target: { kind: "api-key", id: row.id },
      meta: { scopes: row.scopes },
    }),
    revert: insertRevert(revert, row.userId, "apiKey", {
      condition: sql`EXISTS (SELECT 1 FROM api_keys WHERE id = ${row.id})`,
    }),
  });
  return inserted.length === 1;
}

const active = (nowMs: number) =>
  and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, nowMs)));

/** The active keys of a user in a tenant, newest first. */
export function listApiKeys({ db }: Deps, tenantId: string, userId: string, nowMs: number): Promise<ApiKeyRow[]> {
  return db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.userId, userId), active(nowMs)))
    .orderBy(desc(apiKeys.id));
}

/**
 * Revokes an active key of `userId`, or of anybody in the tenant if that is null. Returns false when there is no such
 * key.
 */
export async function revokeApiKeyOf(
  { db }: Deps,
  { tenantId, actor }: Pick<ActingIn, "tenantId" | "actor">,
  userId: string | null,
  id: string,
  nowMs: number,
): Promise<boolean> {
  const { revoked } = await atomically(db, {
    revoked: sql`UPDATE api_keys SET revoked_at = ${nowMs} WHERE id = ${id} AND tenant_id = ${tenantId}
      AND revoked_at IS NULL
      AND ${userId === null ? sql`1` : sql`user_id = ${userId}`} RETURNING id`,
    recorded: auditIfChanged({ tenantId, action: "api_key.deleted", actor, target: { kind: "api-key", id } }),
  });
  return revoked.length === 1;
}

interface KnownKey extends StandingRow {
  id: string;
  name: string;
  userId: string;
  /** A JSON array. */
  scopes: string;
  lastUsedAt: number | null;
  role: string;
}

const keyByHash = prepared<KnownKey>(sql`
  SELECT k.id, k.name, k.user_id AS userId, k.scopes, k.last_used_at AS lastUsedAt, m.role, ${STANDING_COLUMNS}
  FROM api_keys k JOIN memberships m ON m.tenant_id = k.tenant_id AND m.user_id = k.user_id
    JOIN tenants t ON t.id = k.tenant_id JOIN users u ON u.id = k.user_id
  WHERE k.key_hash = ${sql.placeholder("keyHash")} AND k.revoked_at IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > ${sql.placeholder("nowMs")})
    AND (u.suspended_at IS NULL OR u.keep_api_keys = 1)`);

/**
 * The active key with this hash, with its owner's present role in its tenant. Looks across tenants: the key determines
 * the tenant.
 */
export async function findApiKeyByHash({ db }: Deps, keyHash: string, nowMs: number) {
  const [row] = await keyByHash(db, { keyHash, nowMs });
  return row && { ...row, scopes: JSON.parse(row.scopes) as Permission[] };
}

/** Records that the key was used at `nowMs`. */
export async function touchApiKey({ db }: Deps, tenantId: string, id: string, nowMs: number): Promise<void> {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: nowMs })
    .where(and(eq(apiKeys.id, id), eq(apiKeys.tenantId, tenantId)));
}
