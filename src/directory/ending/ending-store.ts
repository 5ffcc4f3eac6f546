/** What connections have left that were deleted, in D1, across tenants. Nothing leads to it any more. */
import { sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, query, queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { RemovedPage } from "../../sign-on/connections/removed-store";

/** The job that has waited longest: to record a page of members, or, without one, to delete everything else. */
export type LeftWork = RemovedPage | { connectionId: string; kind: "end" };

export async function findEnding({ db }: Deps, nowMs: number): Promise<LeftWork | undefined> {
  const found = await queryFirst<{ connectionId: string; kind: string; tenantId: string; actor: string | null }>(db)`
    SELECT connection_id AS connectionId, kind, tenant_id AS tenantId, input ->> '$.actor' AS actor FROM directory_jobs
    WHERE due_at <= ${nowMs} AND kind <> 'roles' ORDER BY due_at LIMIT 1`;
  if (!found) return undefined;
  const { actor, ...job } = found;
  return actor === null
    ? { connectionId: job.connectionId, kind: "end" }
    : { ...job, actor: JSON.parse(actor) as RemovedPage["actor"] };
}

/** Deletes some of whom it knew, and of its directory's people, with their groups. Returns how many rows it found. */
export async function deleteRecords({ db }: Deps, connectionId: string, limit: number): Promise<number> {
  const some = (table: "directory_users" | "directory_groups") => sql`DELETE FROM ${sql.raw(table)}
    WHERE connection_id = ${connectionId} AND id IN (SELECT id FROM ${sql.raw(table)}
      WHERE connection_id = ${connectionId} ORDER BY id LIMIT ${limit})`;
  const { known, people, groups } = await atomically(db, {
    deletedKnown: sql`DELETE FROM connection_identities WHERE connection_id = ${connectionId}
      AND (generation, subject) IN (SELECT generation, subject FROM connection_identities
        WHERE connection_id = ${connectionId} ORDER BY generation, subject LIMIT ${limit})`,
    known: CHANGES,
    deletedPeople: some("directory_users"),
    people: CHANGES,
    deletedGroups: some("directory_groups"),
    groups: CHANGES,
  });
  return [known, people, groups].reduce((sum, found) => sum + countOf(found), 0);
}

/** Ends the job. */
export const endEnding = ({ db }: Deps, connectionId: string) =>
  query(db)`DELETE FROM directory_jobs WHERE connection_id = ${connectionId} AND kind = 'end'`;
