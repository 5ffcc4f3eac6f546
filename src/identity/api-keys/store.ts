/** API keys in D1, stored as SHA-256. */
import { and, desc, eq, gt, inArray, isNull, or, type Placeholder, type SQL, sql } from "drizzle-orm";
import { atomically, type Bound, fixed, jsonList, prepared, queryFirst } from "../../base/db/client";
import type { Recheck } from "../../base/db/recheck";
import type { Deps } from "../../base/deps";
import { KEPT_PER_USED } from "../../base/limits/caps";
import { insertRevert, type NewRevert } from "../../base/mail/revert-store";
import type { ActingIn, Actor } from "../../base/schemas/actor";
import { apiKeys } from "../../base/tables/credentials";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { STANDING_COLUMNS, type StandingRow } from "../../tenancy/tenants/standing-store";

export type ApiKeyRow = typeof apiKeys.$inferSelect;

type Owner = Pick<ApiKeyRow, "owner" | "userId" | "tenantId">;

/** The keys of the same user, or of the same tenant. */
const isOfOwner = ({ owner, userId, tenantId }: Owner): SQL =>
  sql`user_id = ${userId} AND ${owner === "tenant" ? sql`tenant_id = ${tenantId}` : sql`1`}`;

/** How many keys of the same user or tenant are stored, with those that have ended. */
export async function countKept({ db }: Deps, owner: Owner): Promise<number> {
  const counted = await queryFirst<{ count: number }>(db)`SELECT count(*) AS count FROM api_keys
    WHERE ${isOfOwner(owner)}`;
  return counted?.count ?? 0;
}

/**
 * Stores a new key, and the link that undoes it. Returns false when its user or its tenant already has the maximum
 * number of active keys, or too many with those that have ended.
 */
export async function insertApiKey(
  { db, config }: Deps,
  row: ApiKeyRow,
  { revert, makerId, actor }: { revert: NewRevert; makerId: string; actor: Actor },
): Promise<boolean> {
  const isOfTenant = row.owner === "tenant";
  const cap = isOfTenant ? config.caps.tenantApiKeys : config.caps.apiKeys;
  const { inserted } = await atomically(db, {
    inserted: sql`INSERT INTO api_keys (id, tenant_id, user_id, owner, name, prefix, key_hash, scopes, created_at,
        expires_at)
      SELECT ${row.id}, ${row.tenantId}, ${row.userId}, ${row.owner}, ${row.name}, ${row.prefix}, ${row.keyHash},
        ${jsonList(row.scopes)},
        ${row.createdAt}, ${row.expiresAt}
      WHERE (SELECT count(*) FILTER (WHERE ${active(row.createdAt)}) < ${cap} AND count(*) < ${cap * KEPT_PER_USED}
        FROM api_keys WHERE ${isOfOwner(row)})
      RETURNING id`,
    recorded: auditIfChanged({
      tenantId: row.tenantId,
      action: "api_key.created",
      actor,
      target: { kind: "api-key", id: row.id },
      meta: { scopes: row.scopes, ...(isOfTenant ? { owner: "tenant" } : {}) },
    }),
    revert: insertRevert(revert, makerId, "apiKey", {
      // The keys of a user end with every such link; a key of the tenant only with the link about it.
      ...(isOfTenant ? { state: sql`, 'key', ${row.id}` } : {}),
      condition: sql`EXISTS (SELECT 1 FROM api_keys WHERE id = ${row.id})`,
    }),
  });
  return inserted.length === 1;
}

const active = (nowMs: number) =>
  and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, nowMs)));

/** The active keys of a user in a tenant and, if asked for, those of the tenant itself, newest first. */
export function listApiKeys(
  { db }: Deps,
  { tenantId, userId, withTenants }: { tenantId: string; userId: string; withTenants: boolean },
  nowMs: number,
): Promise<ApiKeyRow[]> {
  const owners = withTenants ? [userId, ""] : [userId];
  return db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.tenantId, tenantId), inArray(apiKeys.userId, owners), active(nowMs)))
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

/** A key as it was read. */
export interface KnownKey extends StandingRow {
  id: string;
  name: string;
  userId: string;
  /** A JSON array. */
  scopes: string;
  lastUsedAt: number | null;
  prefix: string;
  owner: "user" | "tenant";
  /** Null once the owner has left the tenant, and for a key of the tenant. */
  role: string | null;
  /** 0 for a key that was revoked or has expired, or whose owner is gone or suspended. */
  isLive: 0 | 1;
}

/** Whether the key `k` works, whose owner is `u` with the membership `m`. `nowMs`: Unix ms. */
export const isKeyLive = (nowMs: Placeholder): SQL => sql`(k.revoked_at IS NULL
  AND (k.expires_at IS NULL OR k.expires_at > ${nowMs})
  AND (k.owner = 'tenant' OR coalesce(m.role IS NOT NULL AND (u.suspended_at IS NULL OR u.keep_api_keys = 1), 0)))`;

const KEY_BY_HASH = sql`
  SELECT k.id, k.name, k.user_id AS userId, k.scopes, k.last_used_at AS lastUsedAt, k.prefix, k.owner, m.role,
    ${isKeyLive(sql.placeholder("nowMs"))} AS isLive, ${STANDING_COLUMNS}
  FROM api_keys k JOIN tenants t ON t.id = k.tenant_id LEFT JOIN memberships m ON m.tenant_id = k.tenant_id
    AND m.user_id = k.user_id LEFT JOIN users u ON u.id = k.user_id
  WHERE k.key_hash = ${sql.placeholder("keyHash")}`;
const keyByHash = prepared<KnownKey>(KEY_BY_HASH);

/**
 * The key with this hash, ended or not, with its owner's present role in its tenant. Looks across tenants: the key
 * determines the tenant.
 */
export async function findApiKeyByHash({ db }: Deps, keyHash: string, nowMs: number): Promise<KnownKey | undefined> {
  const [row] = await keyByHash(db, { keyHash, nowMs });
  return row;
}

let unchanged: ((values: Record<string, unknown>) => Bound<never>) | undefined;

/**
 * Fails its batch unless reading the key again would return the same, but for its last use: it would store a key
 * without an id.
 */
export function refuseChangedKey(keyHash: string, { lastUsedAt: _, ...known }: KnownKey): Recheck {
  const columns = Object.keys(known);
  const isSame = columns.map((name) => sql`r.${sql.raw(name)} IS ${sql.placeholder(`known.${name}`)}`);
  unchanged ??= fixed(sql`INSERT INTO api_keys (id) SELECT NULL
    WHERE NOT EXISTS (SELECT 1 FROM (${KEY_BY_HASH}) r WHERE ${sql.join(isSame, sql.raw(" AND "))})`);
  const statement = unchanged;
  const values = Object.fromEntries(Object.entries(known).map(([name, value]) => [`known.${name}`, value]));
  return (nowMs) => statement({ ...values, keyHash, nowMs });
}

/** Records that the key was used at `nowMs`. */
export async function touchApiKey({ db }: Deps, tenantId: string, id: string, nowMs: number): Promise<void> {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: nowMs })
    .where(and(eq(apiKeys.id, id), eq(apiKeys.tenantId, tenantId)));
}
