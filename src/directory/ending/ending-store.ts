/** What directories have left whose connection was deleted, in D1, across tenants. Nothing leads to it any more. */
import { sql } from "drizzle-orm";
import { atomically, CHANGES, query, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/** The deleted connection whose job has waited longest; undefined without one. */
export async function findEnding({ db }: Deps, nowMs: number): Promise<string | undefined> {
  const found = await queryFirst<{ connectionId: string }>(db)`SELECT connection_id AS connectionId FROM directory_jobs
    WHERE due_at <= ${nowMs} AND kind = 'end' ORDER BY due_at LIMIT 1`;
  return found?.connectionId;
}

/** Deletes some of its people, with their memberships of groups, and of its groups. Returns how many rows it found. */
export async function deleteRecords({ db }: Deps, connectionId: string, limit: number): Promise<number> {
  const some = (table: "directory_users" | "directory_groups") => sql`DELETE FROM ${sql.raw(table)}
    WHERE connection_id = ${connectionId} AND id IN (SELECT id FROM ${sql.raw(table)}
      WHERE connection_id = ${connectionId} ORDER BY id LIMIT ${limit})`;
  const { people, groups } = await atomically(db, {
    deletedPeople: some("directory_users"),
    people: CHANGES,
    deletedGroups: some("directory_groups"),
    groups: CHANGES,
  });
  return (people[0]?.count ?? 0) + (groups[0]?.count ?? 0);
}

/** Ends the job. */
export const endEnding = ({ db }: Deps, connectionId: string) =>
  query(db)`DELETE FROM directory_jobs WHERE connection_id = ${connectionId} AND kind = 'end'`;
