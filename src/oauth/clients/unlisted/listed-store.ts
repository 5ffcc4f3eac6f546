/** The clients by a document that operators have listed, with their copies of it, in D1. They are the platform's. */
import { sql } from "drizzle-orm";
import { atomically, queryFirst, rows } from "../../../base/db/client";
import type { Deps } from "../../../base/deps";
import type { Actor } from "../../../base/schemas/actor";
import { PLATFORM_TENANT } from "../../../base/schemas/tenant-ref";
import { type ClientRow, isOf, recorded } from "../store";

/** The copy of the document of a listed client, as JSON; null for a client that is not listed. */
export async function findCopy({ db }: Deps, id: string): Promise<string | null> {
  const found = await queryFirst<{ document: string }>(
    db,
  )`SELECT c.document FROM oauth_clients c WHERE c.id = ${id} AND c.kind = 'listed'`;
  return found?.document ?? null;
}

/** Lists a client, also one that people have allowed something already. */
export async function insertListed(
  { db, config }: Deps,
  row: ClientRow,
  document: string,
  actor: Actor,
): Promise<"stored" | "cap" | "listed"> {
  const { listed, inserted } = await atomically(db, {
    listed: rows<{ id: string }>(sql`SELECT id FROM oauth_clients WHERE id = ${row.id} AND kind = 'listed'`),
    inserted: sql`INSERT INTO oauth_clients (id, name, type, auth, enabled, settings, created_at, updated_at, tenant_id,
        kind, host, document_hash, document)
      SELECT ${row.id}, ${row.name}, ${row.type}, ${row.auth}, 1, ${JSON.stringify(row.settings)}, ${row.createdAt},
        ${row.createdAt}, ${row.tenantId}, 'listed', ${row.host}, ${row.documentHash}, ${document}
      WHERE (SELECT count(*) FROM oauth_clients c WHERE ${isOf(PLATFORM_TENANT)}) < ${config.caps.clients}
      ON CONFLICT (id) DO UPDATE SET kind = 'listed', document = excluded.document WHERE kind = 'metadata'
      RETURNING id`,
    recorded: recorded("client.created", actor, row),
  });
  if (inserted.length === 1) return "stored";
  return listed.length === 1 ? "listed" : "cap";
}

/** Replaces the copy of a listed client. Returns false if it is listed no more. */
export async function replaceCopy(
  { db }: Deps,
  { id, tenantId }: Pick<ClientRow, "id" | "tenantId">,
  document: string,
  actor: Actor,
  nowMs: number,
): Promise<boolean> {
  const { replaced } = await atomically(db, {
    replaced: sql`UPDATE oauth_clients SET document = ${document}, updated_at = max(updated_at + 1, ${nowMs})
      WHERE id = ${id} AND tenant_id = ${tenantId} AND kind = 'listed' RETURNING id`,
    recorded: recorded("client.updated", actor, { id, tenantId }, { changed: ["document"] }),
  });
  return replaced.length === 1;
}
