/** Removing a record in D1. What is left of it keeps its account out for 30 days. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { DirectoryActor } from "../callers/caller";
import { isWritten } from "./change-store";
import { departureOf, endAccess } from "./departure-store";
import type { StoredRecord } from "./record-store";
import { noteDeparture } from "./tell-store";

/** `together`: see `tellOfDeparture`. Undefined: the record has changed since it was read. */
export async function removeRecord(
  { db }: Deps,
  caller: DirectoryActor,
  { id, version, userId, state }: StoredRecord,
  nowMs: number,
): Promise<{ together: { count: number } | undefined } | undefined> {
  const { connectionId } = caller;
  const write = { caller, id, writeId: newId() };
  const { written, together } = await atomically(db, {
    // The name is free, and the attributes are gone but for what operators of the directory know the person by.
    written: rows<{ id: string }>(sql`UPDATE directory_users SET state = 'removed', state_at = ${nowMs}, reason = NULL,
        name_key = NULL, record = json_object('userName', record ->> '$.userName'), other_email = NULL,
        has_more_emails = 0, version = version + 1, write_id = ${write.writeId}, updated_at = ${nowMs}
      WHERE connection_id = ${connectionId} AND id = ${id} AND version = ${version} AND state <> 'removed'
      RETURNING id`),
    ...(userId === null || state === "inactive" ? {} : endAccess(departureOf(caller, { ...write, userId }), nowMs)),
    together: state === "active" ? noteDeparture(connectionId, isWritten(write), nowMs) : undefined,
  });
  return written.length === 1 ? { together: together[0] } : undefined;
}
