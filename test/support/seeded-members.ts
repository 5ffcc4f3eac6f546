/** Many members of a tenant at once, whom a connection has made: by requests they would take minutes. */
import { env } from "cloudflare:workers";
import type { Connection } from "./signed-on";

const NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
/** A UUIDv7 of the connection's own, so that no two tenants of a test share a person. */
const PERSON = "printf('%s7000-8000-%012x', substr(?2, 1, 14), n.i)";

/** The id of the member with this number, counted from 1. */
export const seededMember = ({ id }: Pick<Connection, "id">, number: number): string =>
  `${id.slice(0, 14)}7000-8000-${number.toString(16).padStart(12, "0")}`;

/** Adds members with the role viewer, each with a record of the directory and a subject of the connection. */
export async function seedMembers({ id, tenantId }: Connection, count: number): Promise<void> {
  const seed = (text: string, ...values: unknown[]) => env.DB.prepare(`${NUMBERS} ${text}`).bind(count, id, ...values);
  await env.DB.batch([
    seed(
      `INSERT INTO memberships (tenant_id, user_id, role, role_by, connection_id, created_at)
       SELECT ?3, ${PERSON}, 'viewer', 'directory', ?2, 1 FROM n`,
      tenantId,
    ),
    seed(
      `INSERT INTO directory_users (connection_id, id, name_key, user_id, state, state_at, record, version, write_id,
         created_at, updated_at)
       SELECT ?2, ${PERSON}, 'p' || n.i, ${PERSON}, 'active', 1, '{}', 1, '', 1, 1 FROM n`,
    ),
    seed(
      `INSERT INTO connection_identities (connection_id, generation, subject, id, user_id, created_at)
       SELECT ?2, 1, 's' || n.i, ${PERSON}, ${PERSON}, 1 FROM n`,
    ),
  ]);
}
