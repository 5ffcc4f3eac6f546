/** API keys in D1; only their SHA-256 is kept. */
import { and, desc, eq, gt, isNull, or, sql } from "drizzle-orm";
import { apiKeys, memberships } from "../db/schema";
import type { Deps } from "../deps";

export type ApiKeyRow = typeof apiKeys.$inferSelect;
export type NewApiKey = typeof apiKeys.$inferInsert;

export async function insertApiKey({ db }: Deps, row: NewApiKey): Promise<void> {
  await db.insert(apiKeys).values(row);
}

const active = (nowMs: number) =>
  and(isNull(apiKeys.revokedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, nowMs)));

/** The active keys of one person in one tenant, newest first. */
export function listApiKeys({ db }: Deps, tenantId: string, userId: string, nowMs: number): Promise<ApiKeyRow[]> {
  return db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.userId, userId), active(nowMs)))
    .orderBy(desc(apiKeys.id));
}

/** Revokes a key of `userId`, or with null of anybody in the tenant. False when there is no such active key. */
export async function revokeApiKey(
  { db }: Deps,
  tenantId: string,
  userId: string | null,
  id: string,
  nowMs: number,
): Promise<boolean> {
  const rows = await db
    .update(apiKeys)
    .set({ revokedAt: nowMs })
    .where(
      and(
        eq(apiKeys.id, id),
        eq(apiKeys.tenantId, tenantId),
        isNull(apiKeys.revokedAt),
        userId === null ? sql`1` : eq(apiKeys.userId, userId),
      ),
    )
    .returning({ id: apiKeys.id });
  return rows.length === 1;
}

/** The active key behind a hash, with the role that its owner has in its tenant now; across tenants: the key says which. */
export async function findApiKeyByHash({ db }: Deps, keyHash: string, nowMs: number) {
  const [row] = await db
    .select({
      id: apiKeys.id,
      tenantId: apiKeys.tenantId,
      userId: apiKeys.userId,
      scopes: apiKeys.scopes,
      lastUsedAt: apiKeys.lastUsedAt,
      role: memberships.role,
    })
    .from(apiKeys)
    .innerJoin(memberships, and(eq(memberships.tenantId, apiKeys.tenantId), eq(memberships.userId, apiKeys.userId)))
    .where(and(eq(apiKeys.keyHash, keyHash), active(nowMs)));
  return row;
}

export async function touchApiKey({ db }: Deps, tenantId: string, id: string, nowMs: number): Promise<void> {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: nowMs })
    .where(and(eq(apiKeys.id, id), eq(apiKeys.tenantId, tenantId)));
}
