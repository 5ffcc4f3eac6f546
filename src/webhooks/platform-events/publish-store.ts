/** Publishing the events of the platform, in the database of its tenant, which is also the control plane. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { filtersFor, parsedFilters } from "../event-types/rules-store";
import { entriesFor } from "../plane/patterns-store";

/** An event that is ready to be stored. */
export interface NewPlatformEvent {
  id: string;
  type: string;
  subjectId: string;
  /** Unix ms. */
  at: number;
  correlationId: string | null;
  /** JSON. */
  payload: string;
  /** The subscriptions whose filters do not let it through. */
  excluded: readonly string[];
}

/** The subscriptions that list the type of the event `j`, as SQL. */
const LISTING = sql`subscription_events w WHERE w.tenant_id = ${PLATFORM_TENANT} AND w.event_type IN (${entriesFor(
  sql`(j.value ->> 'type')`,
  sql`${PLATFORM_TENANT}`,
)})`;
const IS_EXCLUDED = sql`w.subscription_id IN (SELECT x.value FROM json_each(j.value, '$.excluded') x)`;
/** How many subscriptions receive the event `j`, as SQL. */
const READERS = sql`(SELECT count(DISTINCT w.subscription_id) FROM ${LISTING} AND NOT ${IS_EXCLUDED})`;

/**
 * Returns the ids of those of the events that a subscription lists and that are not published yet, and the filters of
 * the subscriptions.
 */
export async function findNew({ db }: Deps, events: readonly Pick<NewPlatformEvent, "id" | "type">[]) {
  const { found, filters } = await atomically(db, {
    filters: filtersFor(PLATFORM_TENANT, [...new Set(events.map(({ type }) => type))]),
    found: rows<{ id: string }>(sql`SELECT j.value ->> 'id' AS id FROM json_each(${jsonList(events)}) j
      WHERE NOT EXISTS (SELECT 1 FROM events x WHERE x.id = j.value ->> 'id') AND ${READERS} > 0`),
  });
  return { ids: new Set(found.map(({ id }) => id)), filters: parsedFilters(filters) };
}

/**
 * Publishes those of the events that are not published yet, in this order, and notes how far the feed has come (Unix
 * ms). Each gets the next `sequence` of its subject. Returns the ids of the published events.
 */
export async function publishPlatformEvents(
  { db }: Deps,
  events: readonly NewPlatformEvent[],
  publishedTo: number,
): Promise<{ id: string }[]> {
  const fresh = sql`fresh AS MATERIALIZED (SELECT j.key AS place, j.value ->> 'id' AS id, j.value ->> 'type' AS type,
      j.value ->> 'subjectId' AS subject_id, j.value ->> 'at' AS at, j.value ->> 'correlationId' AS correlation_id,
      j.value ->> 'payload' AS payload, ${READERS} AS readers,
      nullif((SELECT json_group_array(DISTINCT w.subscription_id) FROM ${LISTING} AND ${IS_EXCLUDED}), '[]') AS filtered
    FROM json_each(${jsonList(events)}) j
    WHERE NOT EXISTS (SELECT 1 FROM events x WHERE x.id = j.value ->> 'id') AND ${READERS} > 0)`;
  // The newest event has the number that the first statement has stored.
  const sequence = sql`(SELECT s.sequence FROM platform_sequences s WHERE s.subject_id = fresh.subject_id) + 1
    - row_number() OVER (PARTITION BY fresh.subject_id ORDER BY fresh.place DESC)`;
  const { published } = await atomically(db, {
    counted: sql`WITH ${fresh} INSERT INTO platform_sequences (subject_id, sequence)
      SELECT subject_id, count(*) FROM fresh WHERE true GROUP BY subject_id
      ON CONFLICT (subject_id) DO UPDATE SET sequence = sequence + excluded.sequence`,
    published: rows<{ id: string }>(sql`WITH ${fresh},
        numbered AS MATERIALIZED (SELECT *, ${sequence} AS sequence FROM fresh)
      INSERT INTO events (id, tenant_id, type, payload, correlation_id, delivery_count, fan_out_after, created_at,
        filtered)
      SELECT id, ${PLATFORM_TENANT}, type, json_replace(payload, '$.sequence', sequence, '$.user.sequence', sequence,
          '$.tenant.sequence', sequence),
        correlation_id, readers, '', at, filtered
      FROM numbered ORDER BY place RETURNING id`),
    noted: sql`UPDATE platform_feed SET published_to = ${publishedTo} WHERE id = 1 AND published_to < ${publishedTo}`,
  });
  return published;
}
