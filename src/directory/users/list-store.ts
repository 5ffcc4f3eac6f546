/** Lists of records in D1. A caller lists those of its connection alone. */
import { type SQL, sql } from "drizzle-orm";
import { rows } from "../../base/db/client";
import type { ScimFilter } from "../protocol/filter";
import { candidates, MOST_SEARCHED, predicate } from "./filter-store";
import { type RecordRow, recordColumns } from "./record-store";

/** Which records, in the order of their ids. */
export interface ListedUsers {
  connectionId: string;
  filter: ScimFilter;
  /** After this id; null: from the first. */
  after: string | null;
  /** How many are left out. */
  offset: number;
  limit: number;
  withGroups: boolean;
}

/** The statement that reads them. */
export function listRecords({ connectionId, filter, after, offset, limit, withGroups }: ListedUsers) {
  const start = after === null ? sql`` : sql`AND d.id > ${after}`;
  return rows<RecordRow>(sql`SELECT ${recordColumns(withGroups)} FROM ${candidates(connectionId, filter)}
    WHERE ${found(connectionId, filter)} ${start} ORDER BY d.id LIMIT ${limit} OFFSET ${offset}`);
}

/** Counts what a filter finds, up to one more than is searched. */
export const countRecords = (connectionId: string, filter: ScimFilter) =>
  rows<{ count: number }>(sql`SELECT count(*) AS count FROM (SELECT 1 FROM ${candidates(connectionId, filter)}
    WHERE ${found(connectionId, filter)} LIMIT ${MOST_SEARCHED + 1})`);

const found = (connectionId: string, filter: ScimFilter): SQL =>
  sql.join(
    [
      sql`d.connection_id = ${connectionId} AND d.state <> 'removed'`,
      ...filter.map((term) => predicate(connectionId, term)),
    ],
    sql` AND `,
  );
