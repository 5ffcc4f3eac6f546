/** How far the consumers of feeds have come. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import { auditOf } from "../../tenancy/audit/record-store";
import { entriesAfter, headOf } from "../events/entries-store";
import { writeBatch } from "../plane/write";
import { EXAMINED_ENTRIES, type FeedRef } from "./page-store";

export interface ConsumerRow {
  name: string;
  position: number;
  /** How many events follow, counted up to `EXAMINED_ENTRIES`. */
  waiting: number;
  /** Unix ms. */
  updatedAt: number;
}

const ofFeed = ({ tenant, feedId }: FeedRef, alias: string): SQL =>
  sql`${sql.raw(alias)}.tenant_id = ${tenant.tenantId} AND ${sql.raw(alias)}.feed_id = ${feedId}`;

/** The consumers of a feed with the condition on `c`, by name. */
function select(feed: FeedRef, condition: SQL = sql`true`) {
  const ids = { tenantId: feed.tenant.tenantId, feedId: feed.feedId };
  const after = entriesAfter(ids, sql`x.position > c.position`, EXAMINED_ENTRIES);
  return rows<ConsumerRow>(sql`SELECT c.name, c.position, c.updated_at AS updatedAt,
      (SELECT coalesce(sum(listed), 0) FROM (${after})) AS waiting
    FROM feed_consumers c WHERE ${ofFeed(feed, "c")} AND ${condition} ORDER BY c.name`);
}

/** The consumers of a feed, by name; undefined when the tenant has no such feed. */
export async function listConsumers({ shards }: Deps, feed: FeedRef): Promise<ConsumerRow[] | undefined> {
  const { tenantId, shard } = feed.tenant;
  const { feeds, consumers } = await atomically(shards.db(shard), {
    feeds: rows<{ id: string }>(
      sql`SELECT f.id FROM feeds f WHERE f.tenant_id = ${tenantId} AND f.id = ${feed.feedId}`,
    ),
    consumers: select(feed),
  });
  return feeds.length === 0 ? undefined : consumers;
}

/**
 * Makes a consumer at a position of the feed, unless there are `most` already or it exists. Returns whether there is
 * one with this name now.
 */
export async function insertConsumer(
  deps: Deps,
  feed: FeedRef,
  { name, position, most, nowMs }: { name: string; position: number; most: number; nowMs: number },
): Promise<boolean> {
  const { tenantId } = feed.tenant;
  const { found } = await writeBatch(deps, feed.tenant, {
    inserted: sql`INSERT INTO feed_consumers (tenant_id, feed_id, name, position, updated_at)
      SELECT f.tenant_id, f.id, ${name}, ${position}, ${nowMs} FROM feeds f
      WHERE f.tenant_id = ${tenantId} AND f.id = ${feed.feedId}
        AND (SELECT count(*) FROM feed_consumers c WHERE ${ofFeed(feed, "c")}) < ${most}
      ON CONFLICT DO NOTHING`,
    found: rows<{ name: string }>(sql`SELECT c.name FROM feed_consumers c WHERE ${ofFeed(feed, "c")}
      AND c.name = ${name}`),
  });
  return found.length === 1;
}

/**
 * Moves a consumer forward, but not past the last entry; an older position changes nothing. Returns undefined when
 * there is no such consumer.
 */
export async function acknowledge(
  deps: Deps,
  feed: FeedRef,
  { name, position, nowMs }: { name: string; position: number; nowMs: number },
): Promise<ConsumerRow | undefined> {
  const last = sql`min(${position}, ${headOf(sql`${feed.tenant.tenantId}`)})`;
  const { consumer } = await writeBatch(deps, feed.tenant, {
    moved: sql`UPDATE feed_consumers AS c SET position = ${last}, updated_at = ${nowMs}
      WHERE ${ofFeed(feed, "c")} AND c.name = ${name} AND c.position < ${last}`,
    consumer: select(feed, sql`c.name = ${name}`),
  });
  return consumer[0];
}

/** Moves a consumer to a position, but not past the last entry. Returns undefined when there is no such consumer. */
export async function moveConsumer(
  deps: Deps,
  feed: FeedRef,
  { name, to, actor, nowMs }: { name: string; to: number | "oldest" | "now"; actor: Actor; nowMs: number },
): Promise<ConsumerRow | undefined> {
  const { tenantId } = feed.tenant;
  const head = headOf(sql`${tenantId}`);
  const oldest = sql`(SELECT f.trimmed_to FROM feeds f WHERE f.tenant_id = ${tenantId} AND f.id = ${feed.feedId})`;
  const position = to === "now" ? head : to === "oldest" ? oldest : sql`min(${to}, ${head})`;
  const { consumer } = await writeBatch(deps, feed.tenant, {
    moved: sql`UPDATE feed_consumers AS c SET position = ${position}, updated_at = ${nowMs}
      WHERE ${ofFeed(feed, "c")} AND c.name = ${name}`,
    recorded: auditOf(
      { tenantId, actor },
      "feed.consumer_moved",
      { kind: "feed", id: feed.feedId },
      { consumer: name },
    ),
    consumer: select(feed, sql`c.name = ${name}`),
  });
  return consumer[0];
}

/** Removes a consumer. Returns false when there is none with this name. */
export async function deleteConsumer(deps: Deps, feed: FeedRef, name: string): Promise<boolean> {
  const { deleted } = await writeBatch(deps, feed.tenant, {
    deleted: rows<{ name: string }>(sql`DELETE FROM feed_consumers AS c WHERE ${ofFeed(feed, "c")} AND c.name = ${name}
      RETURNING name`),
  });
  return deleted.length === 1;
}
