/**
 * The subscriptions of a moved tenant in its former database. Deliveries from before the move end there, and are
 * retried and replayed there, so the copies follow the present subscriptions: in the request that changes one, and
 * every minute. A copy has a lane of its own.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, queryFirst, rows } from "../../base/db/client";
import { insertRows, type StoredRow } from "../../base/db/copy";
import { repeatable } from "../../base/db/faults";
import type { Deps } from "../../base/deps";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { hasDeparted } from "../../tenancy/moves/fence-store";
import { assign, disable, END_LANE, enable } from "../plane/lane-store";

/** What a lane and an isolated database know for themselves. */
const OWN_COLUMNS: readonly string[] = [
  "id",
  "tenant_id",
  "has_backlog",
  "held_until",
  "slow_until",
  "released_to",
  "release_rate",
  "released_at",
  "dropped_to",
  "throttled_until",
  "gone_since",
];

/** The subscriptions of a tenant, and what belongs to them. */
interface Present {
  subscriptions: StoredRow[];
  keys: StoredRow[];
  index: StoredRow[];
}

/**
 * Brings the copies of a tenant's subscriptions in its former database up to date, or that of one. Does nothing for a
 * tenant that was not moved.
 */
export async function mirrorSubscriptions(deps: Deps, tenant: TenantRef, nowMs: number, id?: string): Promise<void> {
  const { tenantId, shard, formerShard } = tenant;
  if (typeof formerShard !== "number") return;
  if (id === undefined && (await areCurrent(deps, tenantId, [shard, formerShard]))) return;
  const isWanted = sql`s.tenant_id = ${tenantId} AND ${id === undefined ? sql`true` : sql`s.id = ${id}`}`;
  const present = await repeatable(() =>
    atomically(deps.shards.db(shard), {
      subscriptions: rows<StoredRow>(sql`SELECT s.* FROM subscriptions s WHERE ${isWanted}`),
      keys: rows<StoredRow>(sql`SELECT k.* FROM subscriptions s CROSS JOIN signing_keys k ON k.subscription_id = s.id
        WHERE ${isWanted}`),
      index: rows<StoredRow>(sql`SELECT e.* FROM subscription_events e CROSS JOIN subscriptions s
        ON s.id = e.subscription_id WHERE e.tenant_id = ${tenantId} AND ${isWanted}`),
    }),
  );
  if (present.subscriptions.length > 0) await writeCopies(deps.shards.db(formerShard), tenantId, present, nowMs);
}

/** Whether the copies of all subscriptions are up to date. A copy never has a later version than what it copies. */
async function areCurrent(deps: Deps, tenantId: string, databases: readonly number[]): Promise<boolean> {
  const [present, copies] = await Promise.all(
    databases.map((shard) =>
      repeatable(
        () => queryFirst<{ count: number; versions: number }>(deps.shards.db(shard))`SELECT count(*) AS count,
          coalesce(sum(version), 0) AS versions FROM subscriptions WHERE tenant_id = ${tenantId}`,
      ),
    ),
  );
  return present?.count === copies?.count && present?.versions === copies?.versions;
}

/** Writes the copies that are older than the given subscriptions. Can be repeated, and be late. */
async function writeCopies(db: Db, tenantId: string, { subscriptions, keys, index }: Present, nowMs: number) {
  const list = jsonList(
    subscriptions.map(({ id, version, enabled, is_deleted: isDeleted, released_to, dropped_to }) => ({
      id,
      version,
      enabled,
      isDeleted,
      holds: Number(released_to !== null),
      drops: Number(dropped_to !== null),
    })),
  );
  const isOpen = hasDeparted(sql`${tenantId}`);
  const newer = (condition: SQL = sql`true`) => sql`SELECT j.value ->> 'id' FROM json_each(${list}) j
    LEFT JOIN subscriptions o ON o.id = j.value ->> 'id'
    WHERE (o.id IS NULL OR o.version < j.value ->> 'version') AND ${condition} AND ${isOpen}`;
  const move = (columns: Parameters<typeof assign>[0], which: SQL) =>
    sql`UPDATE subscriptions AS s SET ${assign(columns)} WHERE s.id IN (${newer(which)})`;
  const isOn = (value: 0 | 1) => sql`j.value ->> 'enabled' = ${value} AND o.enabled <> ${value}`;
  const holds = sql`s.id IN (SELECT h.value ->> 'id' FROM json_each(${list}) h WHERE h.value ->> 'holds' = 1)`;
  const ofNewer = sql`j.value ->> 'subscription_id' IN (${newer().getSQL()})`;
  await repeatable(() =>
    atomically(db, {
      disabled: move(disable({ reason: null, atMs: nowMs, holds }), isOn(0)),
      enabled: move(enable("send", nowMs), sql`${isOn(1)} AND j.value ->> 'drops' = 0`),
      dropped: move(enable("drop", nowMs), sql`${isOn(1)} AND j.value ->> 'drops' = 1`),
      ended: move(END_LANE, sql`j.value ->> 'isDeleted' = 1`),
      oldKeys: sql`DELETE FROM signing_keys WHERE subscription_id IN (${newer()})`,
      keys: insertRows("signing_keys", keys, ofNewer),
      oldIndex: sql`DELETE FROM subscription_events WHERE tenant_id = ${tenantId} AND subscription_id IN (${newer()})`,
      index: insertRows("subscription_events", index, ofNewer),
      // Last: the statements before it compare the versions.
      copies: insertRows("subscriptions", subscriptions, isOpen, replaceOlder(subscriptions)),
    }),
  );
}

function replaceOlder([first = {}]: readonly StoredRow[]): SQL {
  const columns = Object.keys(first).filter((column) => !OWN_COLUMNS.includes(column));
  const assigned = sql.raw(columns.map((column) => `"${column}" = excluded."${column}"`).join(", "));
  return sql`ON CONFLICT (id) DO UPDATE SET ${assigned} WHERE subscriptions.version < excluded.version`;
}
