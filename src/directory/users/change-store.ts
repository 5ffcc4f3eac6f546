/** A change of a record that is about to be written, in D1. */
import { type SQL, sql } from "drizzle-orm";
import type { DirectoryActor } from "../callers/caller";
import type { DirectoryUser } from "../protocol/user";
import type { DirectoryWorld } from "./account-store";
import type { RecordVerdict } from "./judge";
import type { StoredRecord } from "./record-store";

export interface RecordChange {
  caller: DirectoryActor;
  id: string;
  /** As it was read; null: it is new. */
  before: StoredRecord | null;
  record: DirectoryUser;
  /** The address that names the account, in the form that identifies accounts; null: there is none. */
  email: string | null;
  verdict: RecordVerdict;
  world: DirectoryWorld;
  /** The account that the record has afterwards; null: none. */
  userId: string | null;
  writeId: string;
}

/** `changed`: something is not as it was judged, so it is judged again. `together`: see `tellOfDeparture`. */
export type Written = { version: number; updatedAt: number; together: { count: number } | undefined } | "changed";

/** Holds once this write was made. */
export const isWritten = ({ caller, id, writeId }: Pick<RecordChange, "caller" | "id" | "writeId">): SQL =>
  sql`EXISTS (SELECT 1 FROM directory_users g WHERE g.connection_id = ${caller.connectionId} AND g.id = ${id}
    AND g.write_id = ${writeId})`;
