/**
 * The types of the platform, which hold in every tenant. They are changed in database 0 and copied to all others, so
 * that whoever publishes reads them beside the types of the tenant.
 */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, rows } from "../../base/db/client";
import { insertRows, type StoredRow } from "../../base/db/copy";
import { repeatable } from "../../base/db/faults";
import type { Deps } from "../../base/deps";
import { unavailable } from "../../base/errors";
import { describeError, log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";

/** A version of a schema can have 144 KiB with its examples. */
const PAGE_VERSIONS = 8;

/** Replaces a type that is there, except for what is counted about it. */
export const REPLACE_TYPE = sql`ON CONFLICT (tenant_id, name) DO UPDATE SET description = excluded.description,
  heading = excluded.heading, enforce = excluded.enforce, is_archived = excluded.is_archived,
  deprecated = excluded.deprecated, latest_version = excluded.latest_version,
  stored_bytes = excluded.stored_bytes, updated_at = excluded.updated_at`;

const OF_PLATFORM = sql`tenant_id = ${PLATFORM_TENANT}`;

/** What tells two states of a type apart. Every change of a type makes it another one. */
interface State {
  name: string;
  updatedAt: number;
  latestVersion: number;
}

/** Tells whoever publishes that the types of the platform are about to change. */
export async function raisePlatformRevision({ db }: Deps): Promise<void> {
  await query(db)`INSERT INTO platform_rules (id, revision) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET revision = revision + 1`;
}

/** Copies the types of the platform to all databases. Throws SERVICE_UNAVAILABLE if one of them fails. */
export async function copyToAll(deps: Deps): Promise<void> {
  const others = deps.shards.numbers.filter((shard) => shard !== 0);
  const copied = await Promise.allSettled(others.map((shard) => copyTo(deps, shard)));
  for (const [place, one] of copied.entries()) {
    if (one.status === "fulfilled") continue;
    log("error", "platform event types not copied", { shard: others[place] ?? 0, ...describeError(one.reason) });
  }
  const failed = copied.find((one) => one.status === "rejected");
  if (failed) throw unavailable({ cause: failed.reason });
}

/** Copies the types of the platform to the databases that lack a change of them, as after a crash. */
export const completeCopies: PagedMaintenance = async (deps) => {
  const used = await query<{ id: number }>(deps.db)`SELECT id FROM platform_rules WHERE id = 1`;
  if (used.length > 0) await copyToAll(deps);
  return null;
};

async function copyTo(deps: Deps, shard: number): Promise<void> {
  const [from, to] = [deps.shards.db(0), deps.shards.db(shard)];
  const [source, copy] = await Promise.all([readStates(from), readStates(to)]);
  if (copy.revision >= source.revision) return;
  const states = new Map(copy.types.map((type) => [type.name, type]));
  const changed = source.types.filter((type) => !isSame(type, states.get(type.name))).map(({ name }) => name);
  const present = new Set(source.types.map(({ name }) => name));
  const gone = copy.types.filter(({ name }) => !present.has(name)).map(({ name }) => name);
  const types = await readTypes(from, changed);
  await copyVersions(from, to, changed);
  await finish(to, types, gone, source.revision);
}

const isSame = (type: State, other: State | undefined): boolean =>
  type.updatedAt === other?.updatedAt && type.latestVersion === other.latestVersion;

async function readStates(db: Db): Promise<{ revision: number; types: State[] }> {
  const { revised, types } = await repeatable(() =>
    atomically(db, {
      revised: rows<{ revision: number }>(sql`SELECT revision FROM publish_rules WHERE ${OF_PLATFORM}`),
      types: rows<State>(sql`SELECT name, updated_at AS updatedAt, latest_version AS latestVersion FROM event_types
        WHERE ${OF_PLATFORM}`),
    }),
  );
  return { revision: revised[0]?.revision ?? 0, types };
}

async function readTypes(db: Db, names: readonly string[]): Promise<StoredRow[]> {
  const { found } = await repeatable(() =>
    atomically(db, {
      found: rows<StoredRow>(sql`SELECT * FROM event_types WHERE ${OF_PLATFORM}
        AND name IN (SELECT value FROM json_each(${jsonList(names)}))`),
    }),
  );
  return found;
}

/** Copies the versions of these types page by page. They count only once their type refers to them. */
async function copyVersions(from: Db, to: Db, names: readonly string[]): Promise<void> {
  let [name, version] = ["", -1];
  for (let isLast = names.length === 0; !isLast; ) {
    const { page } = await repeatable(() =>
      atomically(from, {
        page: rows<StoredRow>(sql`SELECT * FROM event_type_versions WHERE ${OF_PLATFORM}
          AND (name, version) > (${name}, ${version}) AND name IN (SELECT value FROM json_each(${jsonList(names)}))
          ORDER BY name, version LIMIT ${PAGE_VERSIONS}`),
      }),
    );
    if (page.length > 0) {
      const replace = sql`ON CONFLICT (tenant_id, name, version) DO UPDATE SET schema = excluded.schema,
        examples = excluded.examples, breaks = excluded.breaks, created_at = excluded.created_at`;
      const copied = insertRows("event_type_versions", page, sql`true`, replace);
      await repeatable(() => atomically(to, { copied }));
    }
    const last = page.at(-1);
    [name, version] = [String(last?.name), Number(last?.version)];
    isLast = page.length < PAGE_VERSIONS;
  }
}

/** Writes the types and the revision, unless another call has written a later one. */
async function finish(db: Db, types: readonly StoredRow[], gone: readonly string[], revision: number): Promise<void> {
  const isNewer = sql`coalesce((SELECT r.revision FROM publish_rules r WHERE r.tenant_id = ${PLATFORM_TENANT}), 0)
    < ${revision}`;
  const areGone = sql`${OF_PLATFORM} AND name IN (SELECT value FROM json_each(${jsonList(gone)})) AND ${isNewer}`;
  await repeatable(() =>
    atomically(db, {
      types: insertRows("event_types", types, isNewer, REPLACE_TYPE),
      goneVersions: sql`DELETE FROM event_type_versions WHERE ${areGone}`,
      goneTypes: sql`DELETE FROM event_types WHERE ${areGone}`,
      revised: sql`INSERT INTO publish_rules (tenant_id, revision, mode)
        SELECT ${PLATFORM_TENANT}, ${revision}, 'open' WHERE ${isNewer}
        ON CONFLICT (tenant_id) DO UPDATE SET revision = excluded.revision`,
    }),
  );
}
