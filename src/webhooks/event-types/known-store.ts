/** Which event types a tenant knows: those that it or the platform has declared. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import type { Mode } from "./schemas";
import { holdsIn } from "./store";

/** The most names among which a similar one is looked for. */
const MAX_SIMILAR = 500;

/** Which of the names are declared, and names that one of the others might stand for. */
export async function readKnown(
  { shards }: Deps,
  { tenantId, shard }: TenantRef,
  names: readonly string[],
): Promise<{ declared: ReadonlySet<string>; similar: string[]; mode: Mode }> {
  const isDeclared = sql`t.tenant_id IN ${holdsIn(tenantId)} AND t.is_archived = 0`;
  const { declared, similar, modes } = await atomically(shards.db(shard), {
    declared: rows<{ name: string }>(sql`SELECT j.value AS name FROM json_each(${jsonList(names)}) j
      WHERE EXISTS (SELECT 1 FROM event_types t WHERE ${isDeclared} AND t.name = j.value)`),
    similar: rows<{ name: string }>(sql`SELECT t.name FROM event_types t WHERE ${isDeclared} LIMIT ${MAX_SIMILAR}`),
    modes: rows<{ mode: Mode }>(sql`SELECT mode FROM publish_rules WHERE tenant_id = ${tenantId}`),
  });
  return {
    declared: new Set(declared.map(({ name }) => name)),
    similar: similar.map(({ name }) => name),
    mode: modes[0]?.mode ?? "open",
  };
}
