/** What a deletion would end, counted for the page that asks whether to do it. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { ofTenantAndMembers } from "../../identity/members/ended-keys-store";
import { HAS_OTHER_OWNERS, HAS_OTHERS } from "./ending-store";

/** A tenant of the user whose account would be deleted. */
export interface AffectedTenant {
  name: string;
  /** `goes`: nobody else is a member. `blocks`: others would be left without an owner. `stays`: neither. */
  fate: "goes" | "blocks" | "stays";
}

export interface AccountPreview {
  sessions: number;
  /** The working keys: the user's own, and those of tenants that go. */
  apiKeys: { name: string; prefix: string; tenantName: string }[];
  tenants: AffectedTenant[];
}

/** True for an API key `k` that works. */
const isLiveKey = (nowMs: number) => sql`k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${nowMs})`;

/** Returns what the deletion of an account would end, in all tenants. */
export async function previewAccount({ db }: Deps, userId: string, nowMs: number): Promise<AccountPreview> {
  const { counts, apiKeys, tenants } = await atomically(db, {
    counts: rows<Pick<AccountPreview, "sessions">>(sql`SELECT
      (SELECT count(*) FROM sessions WHERE user_id = ${userId} AND expires_at > ${nowMs}) AS sessions`),
    apiKeys: rows<AccountPreview["apiKeys"][number]>(sql`SELECT k.name AS name, k.prefix, t.name AS tenantName
        FROM api_keys k CROSS JOIN tenants t ON t.id = k.tenant_id WHERE k.user_id = ${userId} AND ${isLiveKey(nowMs)}
      UNION ALL SELECT k.name, k.prefix, t.name FROM memberships m CROSS JOIN tenants t ON t.id = m.tenant_id
        CROSS JOIN api_keys k ON k.user_id = '' AND k.tenant_id = t.id
        WHERE m.user_id = ${userId} AND NOT ${HAS_OTHERS} AND ${isLiveKey(nowMs)}
      ORDER BY tenantName, name`),
    tenants: rows<AffectedTenant>(sql`SELECT t.name, CASE WHEN NOT ${HAS_OTHERS} THEN 'goes'
        WHEN m.role = 'owner' AND NOT ${HAS_OTHER_OWNERS} THEN 'blocks' ELSE 'stays' END AS fate
      FROM memberships m JOIN tenants t ON t.id = m.tenant_id WHERE m.user_id = ${userId} ORDER BY t.name, t.id`),
  });
  return { sessions: counts[0]?.sessions ?? 0, apiKeys, tenants };
}

export interface TenantPreview {
  members: number;
  apiKeys: number;
  subscriptions: number;
}

/** Counts what the deletion of a tenant would end. */
export async function previewTenant(
  { db, shards }: Deps,
  { tenantId, shard }: TenantRef,
  nowMs: number,
): Promise<TenantPreview> {
  const [{ counts }, { subscriptions }] = await Promise.all([
    atomically(db, {
      counts: rows<{
        members: number;
        apiKeys: number;
      }>(sql`SELECT t.member_count AS members, (SELECT count(*) FROM api_keys k
          WHERE ${ofTenantAndMembers(sql`t.id`)} AND ${isLiveKey(nowMs)}) AS apiKeys
        FROM tenants t WHERE t.id = ${tenantId}`),
    }),
    atomically(shards.db(shard), {
      subscriptions: rows<{ count: number }>(
        sql`SELECT count(*) AS count FROM subscriptions WHERE tenant_id = ${tenantId} AND is_deleted = 0
          AND listener_of IS NULL`,
      ),
    }),
  ]);
  const [{ members, apiKeys } = { members: 0, apiKeys: 0 }] = counts;
  return { members, apiKeys, subscriptions: subscriptions[0]?.count ?? 0 };
}
