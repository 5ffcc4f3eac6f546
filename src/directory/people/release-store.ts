/** Releasing somebody whom a connection keeps out, in D1. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { ConnectionChanger } from "../../sign-on/connections/store";
import { auditIfChanged } from "../../tenancy/audit/record-store";

export interface ReleasedPerson {
  changer: ConnectionChanger;
  connectionId: string;
  /** Of the record, or of the identity of somebody without one. */
  personId: string;
}

/**
 * Ends what keeps the person out: the former subject of the account, another record that has it, and the mark of a
 * removal. Returns false when the tenant's connection knows nobody with this id.
 */
export async function release({ db }: Deps, { changer, connectionId, personId }: ReleasedPerson): Promise<boolean> {
  const { tenantId } = changer;
  const own = sql`(SELECT c.id FROM connections c WHERE c.id = ${connectionId} AND c.tenant_id = ${tenantId})`;
  const target = { kind: "connection", id: connectionId } as const;
  const recorded = () =>
    changer.eventsOf({ action: "directory.released", target, meta: { person: personId } }).map(auditIfChanged);
  const { record, identity } = await atomically(db, {
    identities: sql`DELETE FROM connection_identities INDEXED BY connection_identities_by_user
      WHERE connection_id = ${own} AND user_id = (${accountOfHeld(own, personId)})`,
    others: sql`UPDATE directory_users SET user_id = NULL, is_maker = 0, version = version + 1
      WHERE connection_id = ${own} AND id <> ${personId} AND user_id = (${accountOfHeld(own, personId)})`,
    record: rows<{ id: string }>(sql`UPDATE directory_users SET reason = NULL, version = version + 1
      WHERE connection_id = ${own} AND id = ${personId} AND state = 'held' RETURNING id`),
    recorded: recorded(),
    identity: rows<{ id: string }>(sql`DELETE FROM connection_identities WHERE connection_id = ${own}
      AND id = ${personId} RETURNING id`),
    recordedIdentity: recorded(),
  });
  return record.length + identity.length > 0;
}

/** The account that a held record has, or that has its address. */
const accountOfHeld = (own: SQL, personId: string): SQL =>
  sql`SELECT coalesce(h.user_id, (SELECT u.id FROM users u WHERE u.email = h.email)) FROM directory_users h
    WHERE h.connection_id = ${own} AND h.id = ${personId} AND h.state = 'held'`;
