/** Tenants of a delivery database that receive their audit log as operational events, and writing these events. */
import { sql } from "drizzle-orm";
import { atomically, type Db, jsonList, queryFirst, rows } from "../../base/db/client";
import { AUDIT_TYPE } from "../../base/schemas/event-type";
import { readersOfAudit } from "../plane/patterns-store";

/** The audit log of a tenant that receives it. */
export interface AuditFeed {
  tenantId: string;
  /** Everything recorded before this time (Unix ms) has been published. */
  publishedTo: number;
}

/**
 * Returns up to `limit` feeds of a database, by tenant id, after the id `after`. Ends feeds that no subscription
 * receives any more.
 */
export async function nextFeeds(db: Db, after: string, limit: number): Promise<AuditFeed[]> {
  const page = sql`FROM audit_feeds WHERE tenant_id > ${after} ORDER BY tenant_id LIMIT ${limit}`;
  const { feeds } = await atomically(db, {
    ended: sql`DELETE FROM audit_feeds WHERE tenant_id IN (SELECT tenant_id ${page})
      AND NOT EXISTS (${readersOfAudit(sql`audit_feeds.tenant_id`)})`,
    feeds: rows<AuditFeed>(sql`SELECT tenant_id AS tenantId, published_to AS publishedTo ${page}`),
  });
  return feeds;
}

/** The feed of a tenant; null if it has none. */
export async function findAuditFeed(db: Db, tenantId: string): Promise<AuditFeed | null> {
  const feed = await queryFirst<AuditFeed>(db)`SELECT tenant_id AS tenantId, published_to AS publishedTo
    FROM audit_feeds WHERE tenant_id = ${tenantId}`;
  return feed ?? null;
}

/** An audit event as an operational event. */
export interface PublishedAudit {
  /** Derived from the id of the audit event (`publishedId`), so that it is published once. */
  id: string;
  tenantId: string;
  /** The time of the audit event, Unix ms. */
  at: number;
  /** JSON. */
  payload: string;
  /** The subscription that it is about, to which it is not sent; "" for none. */
  about: string;
}

/**
 * Publishes new audit events that a subscription wants, and notes how far the feeds have come. Returns the ids of the
 * published events.
 */
export async function publishAuditEvents(
  db: Db,
  events: readonly PublishedAudit[],
  feeds: readonly AuditFeed[],
): Promise<{ id: string }[]> {
  const readers = sql`(SELECT count(DISTINCT r.subscription_id) FROM (${readersOfAudit(sql`j.value ->> 'tenantId'`)}) r
    WHERE r.subscription_id <> j.value ->> 'about')`;
  const { published } = await atomically(db, {
    published: rows<{
      id: string;
    }>(sql`INSERT INTO events (id, tenant_id, type, payload, delivery_count, fan_out_after, created_at)
      SELECT j.value ->> 'id', j.value ->> 'tenantId', ${AUDIT_TYPE}, j.value ->> 'payload', ${readers}, '', j.value ->>
        'at'
      FROM json_each(${jsonList(events)}) j WHERE ${readers} > 0
      ON CONFLICT DO NOTHING RETURNING id`),
    noted: sql`UPDATE audit_feeds SET published_to = j.value ->> 'publishedTo' FROM json_each(${jsonList(feeds)}) j
      WHERE tenant_id = j.value ->> 'tenantId' AND published_to < j.value ->> 'publishedTo'`,
  });
  return published;
}
