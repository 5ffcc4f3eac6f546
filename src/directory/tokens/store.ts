/** Tokens of directories in D1, stored as SHA-256. Each statement names the tenant. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ConnectionChanger } from "../../sign-on/connections/store";
import { auditIfChanged } from "../../tenancy/audit/record-store";

/** Times are Unix ms. */
export interface ScimTokenRow {
  id: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** Whether an owner has yet to look at it. */
  needsReview: 0 | 1;
}

/** One to bring the other in with. */
export const MOST_TOKENS = 2;

const recorded = (
  changer: ConnectionChanger,
  action: "connection.token_created" | "connection.token_revoked",
  id: string,
) => changer.eventsOf({ action, target: { kind: "connection", id } }).map(auditIfChanged);

/** Inserts a token. Returns false where the connection has two that work, or is gone. */
export async function insertToken(
  { db }: Deps,
  changer: ConnectionChanger,
  connectionId: string,
  { id, hash, createdAt, expiresAt, needsReview }: ScimTokenRow & { hash: string },
): Promise<boolean> {
  const { tenantId } = changer;
  const { inserted } = await atomically(db, {
    ended: sql`DELETE FROM scim_tokens WHERE connection_id = ${connectionId} AND tenant_id = ${tenantId}
      AND expires_at <= ${createdAt}`,
    inserted: rows<{ id: string }>(sql`INSERT INTO scim_tokens (hash, id, connection_id, tenant_id, created_at,
        expires_at, needs_review)
      SELECT ${hash}, ${id}, c.id, c.tenant_id, ${createdAt}, ${expiresAt}, ${needsReview} FROM connections c
      WHERE c.id = ${connectionId} AND c.tenant_id = ${tenantId}
        AND (SELECT count(*) FROM scim_tokens k WHERE k.connection_id = c.id) < ${MOST_TOKENS} RETURNING id`),
    recorded: recorded(changer, "connection.token_created", connectionId),
  });
  return inserted.length === 1;
}

/** The tokens of a connection, newest first; undefined: the tenant has no such connection. */
export async function listTokens(
  { db }: Deps,
  tenantId: string,
  connectionId: string,
): Promise<ScimTokenRow[] | undefined> {
  const { connection, tokens } = await atomically(db, {
    connection: sql`SELECT 1 FROM connections WHERE id = ${connectionId} AND tenant_id = ${tenantId}`,
    tokens: rows<ScimTokenRow>(sql`SELECT id, created_at AS createdAt, expires_at AS expiresAt,
        last_used_at AS lastUsedAt, needs_review AS needsReview
      FROM scim_tokens WHERE connection_id = ${connectionId} AND tenant_id = ${tenantId} ORDER BY id DESC`),
  });
  return connection.length === 1 ? tokens : undefined;
}

/** Ends a token. Returns false when there is none. */
export async function deleteToken(
  { db }: Deps,
  changer: ConnectionChanger,
  connectionId: string,
  id: string,
): Promise<boolean> {
  const { deleted } = await atomically(db, {
    deleted: rows<{ id: string }>(sql`DELETE FROM scim_tokens WHERE connection_id = ${connectionId}
      AND tenant_id = ${changer.tenantId} AND id = ${id} RETURNING id`),
    recorded: recorded(changer, "connection.token_revoked", connectionId),
  });
  return deleted.length === 1;
}
