/**
 * One page of a replay: reading which deliveries to send, and queueing them. The write moves the job's cursor in the
 * same transaction and does nothing if the cursor has moved since the read. So each page is written once, even after
 * failures and with parallel calls.
 */

import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, rows } from "../../../base/db/client";
import { deliveryIdOf, firstIdAt } from "../../../base/db/ids";
import { fromStored } from "../../../base/db/stored-text";
import { parseExact } from "../../../base/exact-json";
import type { OutboxKey } from "../../../base/messages";
import { ALL_OPERATIONAL, TEST_EVENT_TYPE } from "../../../base/schemas/event-type";
import type { Filter } from "../../filters/filter";
import { matches } from "../../filters/match";
import { readFilter } from "../../filters/stored";
import { enabledAt, eventsAt, switchedBetween } from "../../plane/former-states-store";
import { insertDeliveries, insertPlaceholders, isInMain, KEY_COLUMNS, MAIN } from "../../plane/outbox-store";
import { aboutOf, listsType } from "../../plane/patterns-store";
import { isFilteredFrom, PAYLOAD_BYTES_OF_E, PAYLOAD_OF_E } from "../../plane/payload-store";
import { NEXT_QUEUE } from "../../plane/predicates-store";
import { FAN_OUT_TAKES_MS, ID_BEFORE_MS } from "../../plane/timing";
import { Meter, PRICES } from "../../work/meter";
import { reopenStatements } from "../reopen-store";
import { isReady, publishEnd, type ReplayJob } from "./store";

/** The most events or attempts that a page reads. */
const EXAMINED_ROWS = 10_000;
/** The payloads that a page reads for a filter. A single one is shorter. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** A delivery to send. */
interface Wanted {
  eventId: string;
  deliveryId: string;
  kind: "event" | "replay";
  /** The failed attempt that it follows; null for a delivery that does not exist yet. */
  attemptId: string | null;
}

/** What a page of a job sends. */
export interface ReplayPage {
  wanted: Wanted[];
  /** The cursor of the next page; null when this is the last one. */
  next: string | null;
}

type JobRange = Pick<
  ReplayJob,
  | "id"
  | "tenantId"
  | "subscriptionId"
  | "which"
  | "since"
  | "until"
  | "eventTypes"
  | "includeBefore"
  | "cursor"
  | "createdAt"
>;

/**
 * Reads the next page of a job: at most `limit` deliveries, oldest first. It ends earlier, but not before the first
 * event, once `meter` is spent, which counts what the filter costs. Takes the tenant from the job.
 */
export function readPage(db: Db, job: JobRange, limit: number, meter: Meter): Promise<ReplayPage> {
  return job.which === "failed" ? readFailed(db, job, limit) : readEvents(db, job, limit, meter);
}

const ofTypes = (eventTypes: readonly string[] | null, type: SQL) =>
  eventTypes === null ? sql`true` : sql`${type} IN (SELECT value FROM json_each(${jsonList(eventTypes)}))`;

/** Reads deliveries whose last attempt failed before the job began. A delivery that fails again is not sent again. */
async function readFailed(db: Db, job: JobRange, limit: number): Promise<ReplayPage> {
  const { subscriptionId, since, until } = job;
  const page = sql`SELECT a.* FROM attempts a WHERE a.subscription_id = ${subscriptionId} AND a.id > ${job.cursor}
    AND a.id < ${firstIdAt(job.createdAt)} ORDER BY a.id LIMIT ${EXAMINED_ROWS}`;
  const { wanted, ends } = await atomically(db, {
    wanted: rows<Wanted>(sql`SELECT p.event_id AS eventId, coalesce(p.delivery_id, p.id) AS deliveryId, p.kind, p.id
        AS attemptId
      FROM (${page}) p CROSS JOIN events e ON e.id = p.event_id
      WHERE p.status = 'failed' AND p.kind IN ('event', 'replay') AND p.next_id IS NULL AND e.created_at >= ${since}
        AND e.created_at < ${until} AND ${ofTypes(job.eventTypes, sql`p.event_type`)}
        AND NOT EXISTS (SELECT 1 FROM manual_retries m WHERE m.subscription_id = ${subscriptionId}
          AND m.event_id = p.event_id AND m.state = 'success')
      ORDER BY p.id LIMIT ${limit}`),
    ends: endOf(page),
  });
  return pageOf(wanted, ends[0]?.examined ?? null, limit);
}

/** Reads events that the subscription wants today. For "missing", only those that it was never sent. */
async function readEvents(db: Db, job: JobRange, limit: number, meter: Meter): Promise<ReplayPage> {
  const { subscriptionId, tenantId, since, until } = job;
  const page = sql`SELECT id, tenant_id, type, test_of FROM events WHERE id > ${job.cursor} AND id < ${firstIdAt(until)}
    ORDER BY id LIMIT ${EXAMINED_ROWS}`;
  const deliveryId = deliveryIdOf(sql`e.id`, job.which === "all" ? job.id : sql`s.id`);
  const condition = job.which === "all" ? sql`true` : isMissing(deliveryId, job.includeBefore);
  const { wanted, ends, filters } = await atomically(db, {
    filters: rows<{ filter: string | null }>(sql`SELECT filter FROM subscriptions WHERE id = ${subscriptionId}
      AND tenant_id = ${tenantId}`),
    wanted:
      rows<Wanted>(sql`SELECT e.id AS eventId, ${deliveryId} AS deliveryId, ${job.which === "all" ? "replay" : "event"}
        AS kind,
        NULL AS attemptId
      FROM (${page}) p CROSS JOIN events e ON e.id = p.id CROSS JOIN subscriptions s ON s.id = ${subscriptionId}
      WHERE p.tenant_id = ${tenantId} AND s.tenant_id = ${tenantId}
        AND ${listsType(sql`s.events`, sql`p.type`, sql`p.tenant_id`)}
        AND ${ofTypes(job.eventTypes, sql`p.type`)} AND p.test_of IS NULL AND p.type <> ${TEST_EVENT_TYPE}
        AND (p.type NOT GLOB ${ALL_OPERATIONAL} OR ${aboutOf(sql`e.payload`)} <> s.id)
        AND e.created_at >= ${since} AND e.created_at < ${until} AND ${condition}
      ORDER BY e.id LIMIT ${limit}`),
    ends: endOf(page),
  });
  const read = pageOf(wanted, ends[0]?.examined ?? null, limit);
  const stored = filters[0]?.filter ?? null;
  const filter = stored === null ? null : readFilter(stored, { tenantId, webhookId: subscriptionId });
  return filter === null ? read : fitting(db, tenantId, filter, read, meter);
}

/** Returns the page without what the filter does not let through. It ends earlier if the payloads are large. */
async function fitting(db: Db, tenantId: string, filter: Filter, page: ReplayPage, meter: Meter) {
  const read = await query<{ id: string; type: string; payload: string }>(db)`
    SELECT e.id, e.type, ${PAYLOAD_OF_E} AS payload FROM (SELECT id, sum(size) OVER (ORDER BY id) AS total FROM (
      SELECT e.id, ${PAYLOAD_BYTES_OF_E} AS size FROM
        json_each(${jsonList(page.wanted.map(({ eventId }) => eventId))}) j
        CROSS JOIN events e ON e.id = j.value AND e.tenant_id = ${tenantId})) sized
      CROSS JOIN events e ON e.id = sized.id
    WHERE sized.total <= ${MAX_PAGE_BYTES} ORDER BY e.id`;
  const fits = new Set<string>();
  let lastId = "";
  for (const { id, type, payload } of read) {
    if (lastId !== "" && meter.isSpent) break;
    const [text, run] = [await fromStored(payload), new Meter()];
    if (matches(filter, { type, payload: parseExact(text) }, run)) fits.add(id);
    meter.count(run.spent + text.length * PRICES.character);
    lastId = id;
  }
  const checked = firstOf(page, page.wanted.findLastIndex(({ eventId }) => eventId === lastId) + 1);
  return { ...checked, wanted: checked.wanted.filter(({ eventId }) => fits.has(eventId)) };
}

/**
 * Whether the event `e` was never sent to the subscription `s`: its delivery has no attempt and does not wait for the
 * first one, and the subscription was paused, did not list the type, had a filter that did not let the event through or
 * did not exist when the event was published.
 */
function isMissing(deliveryId: SQL, includeBefore: boolean): SQL {
  const publishedAt = sql`e.created_at`;
  return sql`NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = s.id AND a.id = ${deliveryId})
    AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.queue IN (${MAIN}, s.id) AND o.due_at = ${publishedAt}
      AND o.id = ${deliveryId})
    AND iif(s.created_at > ${publishedAt}, ${includeBefore ? 1 : 0}, coalesce(s.id > e.fan_out_after, 0) = 0
      AND (NOT ${enabledAt(publishedAt)} OR NOT ${listsType(eventsAt(publishedAt), sql`e.type`, sql`e.tenant_id`)}
        OR ${isFilteredFrom(sql`s.id`, sql`e.filtered`)}
        OR ${switchedBetween(sql`${publishedAt} - ${ID_BEFORE_MS}`, sql`${publishedAt} + ${FAN_OUT_TAKES_MS}`)}))`;
}

/** Returns the page with only its first `count` deliveries. The next page then begins with the rest. */
export function firstOf(page: ReplayPage, count: number): ReplayPage {
  const wanted = page.wanted.slice(0, count);
  const last = wanted.at(-1);
  return last && count < page.wanted.length ? { wanted, next: cursorOf(last) } : page;
}

const endOf = (page: SQL) =>
  rows<{ examined: string | null }>(
    sql`SELECT CASE WHEN count(*) = ${EXAMINED_ROWS} THEN max(id) END AS examined FROM (${page})`,
  );

function pageOf(wanted: Wanted[], examined: string | null, limit: number): ReplayPage {
  const last = wanted.at(-1);
  return { wanted, next: last && wanted.length === limit ? cursorOf(last) : examined };
}

/** The cursor after a delivery: the id that the job's pages are ordered by. */
const cursorOf = ({ attemptId, eventId }: Wanted) => attemptId ?? eventId;

/**
 * Queues the deliveries of a page and advances the job. Returns null, and writes nothing, if the job was stopped or
 * continued in the meantime, or if its subscription was paused.
 */
export async function writePage(
  db: Db,
  job: ReplayJob,
  { wanted, next }: ReplayPage,
  pacedAt: number,
  nowMs: number,
): Promise<{ due: OutboxKey[]; queued: number; told: { id: string }[] } | null> {
  const { subscriptionId, tenantId } = job;
  const isCurrent = sql`EXISTS (SELECT 1 FROM replay_jobs r CROSS JOIN subscriptions s ON s.id = r.subscription_id
    WHERE r.subscription_id = ${subscriptionId} AND r.id = ${job.id} AND r.state = 'running'
      AND r.cursor = ${job.cursor}
      AND s.is_deleted = 0 AND ${isReady})`;
  const listed = sql`SELECT value ->> 'eventId' AS event_id, value ->> 'deliveryId' AS delivery_id, value ->> 'kind'
    AS kind,
    value ->> 'attemptId' AS attempt_id FROM json_each(${jsonList(wanted)}) WHERE ${isCurrent}`;
  const statements =
    job.which === "failed"
      ? reopenStatements(stillFailed(listed, subscriptionId), subscriptionId, nowMs)
      : createStatements(listed, job, nowMs);
  const queued = sql`(SELECT count(*) FROM json_each(${jsonList(wanted)}) j WHERE EXISTS (SELECT 1 FROM outbox o
    WHERE o.queue IN (${MAIN}, ${subscriptionId}) AND o.due_at = ${nowMs} AND o.id = j.value ->> 'deliveryId'))`;
  const { opened, told, moved } = await atomically(db, {
    ...statements,
    told: next === null ? publishEnd(subscriptionId, job.id, "finished", queued, isCurrent, nowMs) : undefined,
    // After the deliveries and the event, which are written only while the cursor has not moved.
    moved: rows<{ id: string }>(sql`UPDATE replay_jobs SET cursor = ${next ?? job.cursor}, paced_at = ${pacedAt},
        state = ${next === null ? "finished" : "running"}, ended_at = ${next === null ? nowMs : null},
        queued = queued + ${queued}
      WHERE subscription_id = ${subscriptionId} AND id = ${job.id} AND tenant_id = ${tenantId} AND ${isCurrent}
        RETURNING id`),
  });
  if (moved.length === 0) return null;
  return { due: opened.filter(isInMain), queued: opened.length, told };
}

/** Keeps those of the listed deliveries that nothing else has reopened since they were read. */
const stillFailed = (listed: SQL, subscriptionId: string) => sql`SELECT l.* FROM (${listed}) l CROSS JOIN attempts a
  ON a.subscription_id = ${subscriptionId} AND a.id = l.attempt_id WHERE a.status = 'failed' AND a.next_id IS NULL`;

/**
 * Creates deliveries. A placeholder with the id of the delivery points to its first attempt. It shows that the delivery
 * exists, so that no other replay creates it again.
 */
function createStatements(listed: SQL, { subscriptionId, tenantId }: ReplayJob, nowMs: number) {
  const isNew = sql`NOT EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = ${subscriptionId}
    AND a.id = l.delivery_id)`;
  const events = sql`(${listed}) l CROSS JOIN events e ON e.id = l.event_id AND e.tenant_id = ${tenantId}`;
  // With the random part of the event's id, so that both statements make the same id.
  const attemptIdOf = (eventId: SQL) => sql`${firstIdAt(nowMs)} || substr(${eventId}, 14)`;
  return {
    opened: rows<OutboxKey>(sql`${insertDeliveries(
      {
        queue: NEXT_QUEUE,
        dueAt: nowMs,
        id: sql`l.delivery_id`,
        eventId: sql`e.id`,
        kind: sql`l.kind`,
        bytes: PAYLOAD_BYTES_OF_E,
        attemptId: attemptIdOf(sql`e.id`),
      },
      sql`FROM ${events} CROSS JOIN subscriptions s ON s.id = ${subscriptionId} WHERE ${isNew}`,
    )} ON CONFLICT DO NOTHING
      RETURNING ${KEY_COLUMNS}`),
    // The time of the event as `due_at`: it is the time in the id, as the log expects.
    placeholders: insertPlaceholders(
      attemptIdOf(sql`o.event_id`),
      sql`FROM (SELECT ${subscriptionId} AS subscription_id, l.delivery_id AS id, NULL AS attempt_id,
          e.id AS event_id, l.kind AS kind, 0 AS attempts, e.created_at AS due_at FROM ${events}) o WHERE true`,
    ),
  };
}
