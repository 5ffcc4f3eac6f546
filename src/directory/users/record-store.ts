/** Records of people in D1, as they are read. A caller reads those of its connection alone. */
import { type SQL, sql } from "drizzle-orm";
import { queryFirst, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { RefusalReason } from "../../sign-on/refused";
import type { DirectoryUser } from "../protocol/user";

export type RecordState = "active" | "inactive" | "held";

/** A record. Times are Unix ms. */
export interface StoredRecord {
  id: string;
  userId: string | null;
  state: RecordState;
  /** Why it is held; null for others. */
  reason: RefusalReason | null;
  record: DirectoryUser;
  version: number;
  createdAt: number;
  updatedAt: number;
  groups: { value: string; display: string }[];
}

/** As SQLite returns it. */
export type RecordRow = Omit<StoredRecord, "record" | "groups"> & { record: string; groups: string | null };

/** The groups with the person `d`, as JSON. */
const GROUPS = sql`(SELECT json_group_array(json_object('value', dg.id, 'display', dg.display_name))
  FROM directory_members dm
  CROSS JOIN directory_groups dg ON dg.connection_id = dm.connection_id AND dg.id = dm.group_id
  WHERE dm.connection_id = d.connection_id AND dm.person_id = d.id)`;

/** The columns of a record `d`. */
export const recordColumns = (withGroups: boolean): SQL => sql`d.id, d.user_id AS userId, d.state, d.reason, d.record,
  d.version, d.created_at AS createdAt, d.updated_at AS updatedAt, ${withGroups ? GROUPS : sql`NULL`} AS groups`;

export const findRecord = (connectionId: string, id: string, withGroups = true) =>
  rows<RecordRow>(sql`SELECT ${recordColumns(withGroups)} FROM directory_users d
    WHERE d.connection_id = ${connectionId} AND d.id = ${id} AND d.state <> 'removed'`);

export const parsedRecord = ({ record, groups, ...row }: RecordRow): StoredRecord => ({
  ...row,
  record: JSON.parse(record) as DirectoryUser,
  groups: groups === null ? [] : (JSON.parse(groups) as StoredRecord["groups"]),
});

/** The record with a user name, in any case. */
export const findByName = (connectionId: string, userName: string) =>
  rows<{ id: string }>(sql`SELECT d.id FROM directory_users d WHERE d.connection_id = ${connectionId}
    AND d.name_key = ${userName.toLowerCase()}`);

/** How many records a directory has, but for removed ones. */
export async function countOf({ db }: Deps, connectionId: string): Promise<number> {
  const found = await queryFirst<{ count: number }>(db)`SELECT c.directory_active + c.directory_inactive
    + c.directory_held AS count FROM connections c WHERE c.id = ${connectionId}`;
  return found?.count ?? 0;
}
