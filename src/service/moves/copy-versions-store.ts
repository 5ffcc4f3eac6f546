/** Copying the versions of a tenant's event types, which can have 16 MiB. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, queryFirst, rows } from "../../base/db/client";
import { insertRows, type StoredRow } from "../../base/db/copy";
import { repeatable } from "../../base/db/faults";

/** A version of a schema can have 144 KiB. */
const PAGE_VERSIONS = 8;

/** What distinguishes a version from any other row with its name: a schema that is old enough is dropped. */
interface Version {
  name: string;
  version: number;
  createdAt: number;
  bytes: number;
}

/** The revision of the tenant's event types, which each change increases. */
export async function revisionOf(db: Db, tenantId: string): Promise<number> {
  const found = await queryFirst<{ revision: number }>(
    db,
  )`SELECT revision FROM publish_rules WHERE tenant_id = ${tenantId}`;
  return found?.revision ?? 0;
}

const versionsIn = (db: Db, tenantId: string) =>
  repeatable(
    () =>
      query<Version>(db)`SELECT name, version, created_at AS createdAt,
        coalesce(length(schema), 0) + coalesce(length(examples), 0) AS bytes
        FROM event_type_versions WHERE tenant_id = ${tenantId}`,
  );

const keyOf = ({ name, version, createdAt, bytes }: Version) => JSON.stringify([name, version, createdAt, bytes]);

/**
 * Copies up to `pages` pages of the versions that the other database lacks, and deletes there what is gone. Returns
 * whether it has all of them then. Can be repeated.
 */
export async function copyVersions(
  [from, to]: readonly [Db, Db],
  tenantId: string,
  pages: number = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const [present, copied] = await Promise.all([versionsIn(from, tenantId), versionsIn(to, tenantId)]);
  const [wanted, kept] = [new Set(present.map(keyOf)), new Set(copied.map(keyOf))];
  const gone = copied.filter((version) => !wanted.has(keyOf(version)));
  const missing = present.filter((version) => !kept.has(keyOf(version)));
  if (gone.length > 0) await repeatable(() => deleteVersions(to, tenantId, gone));
  for (let at = 0, page = 0; at < missing.length; at += PAGE_VERSIONS, page += 1) {
    if (page >= pages) return false;
    await copyThese([from, to], tenantId, missing.slice(at, at + PAGE_VERSIONS));
  }
  return true;
}

const these = (versions: readonly Version[]) =>
  sql`(name, version) IN (SELECT j.value ->> 'name', j.value ->> 'version' FROM json_each(${jsonList(
    versions.map(({ name, version }) => ({ name, version })),
  )}) j)`;

const deleteVersions = (db: Db, tenantId: string, versions: readonly Version[]) =>
  atomically(db, {
    deleted: sql`DELETE FROM event_type_versions WHERE tenant_id = ${tenantId} AND ${these(versions)}`,
  });

async function copyThese([from, to]: readonly [Db, Db], tenantId: string, versions: readonly Version[]) {
  const { page } = await repeatable(() =>
    atomically(from, {
      page: rows<StoredRow>(
        sql`SELECT * FROM event_type_versions WHERE tenant_id = ${tenantId} AND ${these(versions)}`,
      ),
    }),
  );
  await repeatable(() => atomically(to, { copied: insertRows("event_type_versions", page) }));
}
