/** Platform keys in D1, stored as SHA-256. They belong to no tenant and to no person. */
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, prepared, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import type { AuditAction } from "../../base/schemas/audit-actions";
import type { PlatformScope } from "../../base/schemas/platform-scopes";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { STANDING_COLUMNS, type Standing, type StandingRow, standingOf } from "../../tenancy/tenants/standing-store";
import { idOfTenant } from "../../tenancy/tenants/store";
import type { TenantName } from "../../tenancy/tenants/tenant-name";

/** Times are Unix ms. */
export interface PlatformKeyRow {
  id: string;
  name: string;
  prefix: string;
  scopes: PlatformScope[];
  /** Null: all tenants. */
  tenants: string[] | null;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
  /** When the former key ends; null when there is none that works. */
  previousExpiresAt: number | null;
}

interface StoredKey extends Omit<PlatformKeyRow, "scopes" | "tenants"> {
  /** JSON. */
  scopes: string;
  tenants: string | null;
}

/** Whether the key `k` works. `nowMs`: Unix ms. */
export const isPlatformKeyActive = (nowMs: number | Placeholder): SQL =>
  sql`k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${nowMs})`;

const selectKeys = (nowMs: number) => sql`SELECT k.id, k.name, k.prefix, k.scopes, k.tenants,
    k.created_at AS createdAt, k.last_used_at AS lastUsedAt, k.expires_at AS expiresAt,
    (SELECT h.expires_at FROM platform_key_hashes h WHERE h.key_id = k.id AND h.expires_at > ${nowMs})
      AS previousExpiresAt
  FROM platform_keys k`;

const parsed = ({ scopes, tenants, ...key }: StoredKey): PlatformKeyRow => ({
  ...key,
  scopes: JSON.parse(scopes) as PlatformScope[],
  tenants: tenants === null ? null : (JSON.parse(tenants) as string[]),
});

/** Something that an operator does with a key, for the platform's log. */
const recorded = (action: AuditAction & `platform_key.${string}`, operator: Actor, id: string, scopes?: string[]) =>
  auditIfChanged({
    tenantId: PLATFORM_TENANT,
    action,
    actor: { ...operator, kind: "operator" },
    target: { kind: "platform-key", id },
    ...(scopes ? { meta: { scopes } } : {}),
  });

/** Stores a new key. Returns false at the cap. */
export async function insertPlatformKey(
  { db, config }: Deps,
  key: PlatformKeyRow,
  hash: string,
  operator: Actor,
): Promise<boolean> {
  const { inserted } = await atomically(db, {
    inserted: sql`INSERT INTO platform_keys (id, name, prefix, scopes, tenants, created_at, expires_at)
      SELECT ${key.id}, ${key.name}, ${key.prefix}, ${jsonList(key.scopes)},
        ${key.tenants && jsonList(key.tenants)}, ${key.createdAt}, ${key.expiresAt}
      WHERE (SELECT count(*) FROM platform_keys k WHERE k.id >= '' AND ${isPlatformKeyActive(key.createdAt)})
        < ${config.caps.platformKeys}
      RETURNING id`,
    recorded: recorded("platform_key.created", operator, key.id, key.scopes),
    hash: sql`INSERT INTO platform_key_hashes (hash, key_id) SELECT ${hash}, id FROM platform_keys
      WHERE id = ${key.id}`,
  });
  return inserted.length === 1;
}

/** The active keys, newest first. */
export async function listPlatformKeys({ db }: Deps, nowMs: number): Promise<PlatformKeyRow[]> {
  const found = await query<StoredKey>(db)`${selectKeys(nowMs)} WHERE k.id >= '' AND ${isPlatformKeyActive(nowMs)}
    ORDER BY k.id DESC`;
  return found.map(parsed);
}

export interface NewHash {
  id: string;
  hash: string;
  prefix: string;
  /** When the former key ends; Unix ms. */
  previousExpiresAt: number;
}

/**
 * Replaces a key. Returns its row as it is afterwards, and whether it was replaced: not while a former key still works.
 * The row is undefined when there is no such key.
 */
export async function rotatePlatformKey(
  { db }: Deps,
  { id, hash, prefix, previousExpiresAt }: NewHash,
  operator: Actor,
  nowMs: number,
): Promise<{ row: PlatformKeyRow | undefined; isRotated: boolean }> {
  const active = sql`EXISTS (SELECT 1 FROM platform_keys k WHERE k.id = ${id} AND ${isPlatformKeyActive(nowMs)})`;
  const { former, found } = await atomically(db, {
    former: sql`UPDATE platform_key_hashes SET expires_at = ${previousExpiresAt} WHERE key_id = ${id}
      AND expires_at IS NULL AND ${active}
      AND NOT EXISTS (SELECT 1 FROM platform_key_hashes h WHERE h.key_id = ${id} AND h.expires_at > ${nowMs})
      RETURNING hash`,
    recorded: recorded("platform_key.rotated", operator, id),
    // A key without a current hash has just lost it.
    current: sql`INSERT INTO platform_key_hashes (hash, key_id) SELECT ${hash}, ${id} WHERE ${active}
      AND NOT EXISTS (SELECT 1 FROM platform_key_hashes h WHERE h.key_id = ${id} AND h.expires_at IS NULL)`,
    prefix: sql`UPDATE platform_keys SET prefix = ${prefix} WHERE id = ${id}
      AND EXISTS (SELECT 1 FROM platform_key_hashes h WHERE h.hash = ${hash})`,
    found: rows<StoredKey>(sql`${selectKeys(nowMs)} WHERE k.id = ${id} AND ${isPlatformKeyActive(nowMs)}`),
  });
  const [row] = found;
  return { row: row && parsed(row), isRotated: former.length === 1 };
}

/** Ends the former key, if one still works. Returns false when there is no such key. */
export async function endPreviousKey({ db }: Deps, id: string, operator: Actor, nowMs: number): Promise<boolean> {
  const { found } = await atomically(db, {
    found: sql`SELECT k.id FROM platform_keys k WHERE k.id = ${id} AND ${isPlatformKeyActive(nowMs)}`,
    ended: sql`DELETE FROM platform_key_hashes WHERE key_id = ${id} AND expires_at > ${nowMs}`,
    recorded: recorded("platform_key.rotated", operator, id),
  });
  return found.length === 1;
}

/** Revokes a key, and the former one. Returns false when there is no such key. */
export async function revokePlatformKeyOf({ db }: Deps, id: string, operator: Actor, nowMs: number): Promise<boolean> {
  const { revoked } = await atomically(db, {
    revoked: sql`UPDATE platform_keys AS k SET revoked_at = ${nowMs}
      WHERE k.id = ${id} AND ${isPlatformKeyActive(nowMs)} RETURNING id`,
    recorded: recorded("platform_key.revoked", operator, id),
  });
  return revoked.length === 1;
}

type KnownKey = Pick<StoredKey, "id" | "name" | "scopes" | "tenants" | "lastUsedAt">;
type KeyInTenant = KnownKey & { controlPlaneBytes: number } & {
  [Column in keyof StandingRow]: StandingRow[Column] | null;
};

const keyByHash = prepared<KeyInTenant>(sql`
  SELECT k.id, k.name, k.scopes, k.tenants, k.last_used_at AS lastUsedAt, ${STANDING_COLUMNS},
    coalesce((SELECT cp.bytes FROM shards cp WHERE cp.shard = 0), 0) AS controlPlaneBytes
  FROM platform_key_hashes h JOIN platform_keys k ON k.id = h.key_id
    LEFT JOIN tenants t ON t.id = ${idOfTenant({
      id: sql.placeholder("id"),
      externalId: sql.placeholder("externalId"),
    })}
  WHERE h.hash = ${sql.placeholder("hash")}
    AND (h.expires_at IS NULL OR h.expires_at > ${sql.placeholder("nowMs")})
    AND ${isPlatformKeyActive(sql.placeholder("nowMs"))}`);

/** The working key with this hash, with the tenant that is named; null for a tenant that does not exist. */
export async function findPlatformKeyByHash({ db }: Deps, hash: string, named: TenantName, nowMs: number) {
  const [row] = await keyByHash(db, { hash, nowMs, ...named });
  if (!row) return null;
  const { id, name, lastUsedAt } = row;
  const { scopes, tenants } = parsed({ ...row, prefix: "", createdAt: 0, expiresAt: null, previousExpiresAt: null });
  const tenant: Standing | null = row.tenantId === null ? null : standingOf(row as StandingRow);
  return { key: { id, name, lastUsedAt, scopes, tenants, controlPlaneBytes: row.controlPlaneBytes }, tenant };
}

/** Records that the key was used at `nowMs`. */
export async function touchPlatformKey({ db }: Deps, id: string, nowMs: number): Promise<void> {
  await query(db)`UPDATE platform_keys SET last_used_at = ${nowMs} WHERE id = ${id}`;
}
