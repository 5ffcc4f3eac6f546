/**
 * What `/metrics` reads: two statements in the control plane, three in each delivery database. Each has an index and a
 * limit, so a page reads at most 2,000 rows of a database, however full it is. Spans tenants.
 */

import { sql } from "drizzle-orm";
import { atomically, type Db, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { hasDeparted } from "../../tenancy/moves/fence-store";
import { isFrozen } from "../../webhooks/plane/frozen-store";
import { BUCKET_STARTS_MS } from "../../webhooks/plane/latency";
import { MAIN, PLACEHOLDER, PLANNED_ID } from "../../webhooks/plane/outbox-store";
import { STAGE } from "../../webhooks/plane/stages";

const MAX_DUE = 300;
const MAX_BACKLOGS = 50;
const MAX_IN_BACKLOGS = 200;
const MAX_FAN_OUTS = 100;

/** What waits in a delivery database. */
export interface OpenWork {
  due: number;
  leased: number;
  /** Unix ms; null if nothing is due. */
  oldestDueAt: number | null;
  fanOuts: number;
  backlog: number;
  held: number;
}

/** The states of some subscriptions, and the results of their attempts in an hour. */
export interface SubscriptionCounts {
  healthy: number;
  failing: number;
  slow: number;
  disabled: number;
  paused: number;
  succeeded: number;
  failed: number;
  /** How many attempts had a latency in each bucket of `plane/latency.ts`. */
  histogram: number[];
}

export interface Totals extends SubscriptionCounts {
  /** The start of the hour whose attempts were counted, Unix ms. */
  hour: number;
}

/** A page of subscriptions by id. */
export interface SubscriptionPage extends SubscriptionCounts {
  rows: number;
  /** The last id; null for an empty page. */
  last: string | null;
}

/** Reads what waits in a delivery database and, in the same round trip, its first page of subscriptions. */
export async function readDeliveryPlane(
  db: Db,
  hour: number,
  limit: number,
  nowMs: number,
): Promise<{ open: OpenWork; page: SubscriptionPage }> {
  const { main, apart, page } = await atomically(db, {
    main: rows<Omit<OpenWork, "backlog" | "held">>(sql`SELECT count(*) - count(a.id) AS due, count(a.id) AS leased,
        min(o.due_at) AS oldestDueAt, (SELECT count(*) FROM (SELECT 1 FROM events
          WHERE fan_out_after IS NOT NULL AND created_at <= ${nowMs} LIMIT ${MAX_FAN_OUTS})) AS fanOuts
      FROM (SELECT subscription_id, due_at, id, attempt_id FROM outbox WHERE queue = ${MAIN}
        AND due_at <= ${nowMs}
        ORDER BY due_at, id LIMIT ${MAX_DUE}) o
      LEFT JOIN attempts a ON a.subscription_id = o.subscription_id AND a.id = ${PLANNED_ID}
        AND a.status IN ('pending', ${PLACEHOLDER})`),
    apart: rows<Pick<OpenWork, "backlog" | "held">>(sql`WITH apart AS MATERIALIZED (
        SELECT id, iif(${isFrozen(sql.raw("s.tenant_id"))}, 0, iif(enabled, NULL, released_to)) AS released_to
        FROM subscriptions s WHERE has_backlog = 1 LIMIT ${MAX_BACKLOGS})
      SELECT coalesce(sum(is_held), 0) AS held, count(*) - coalesce(sum(is_held), 0) AS backlog
      FROM (SELECT coalesce(o.due_at > apart.released_to, 0) AS is_held FROM apart CROSS
        JOIN outbox o ON o.queue = apart.id
        WHERE o.due_at <= ${nowMs} OR apart.released_to IS NOT NULL LIMIT ${MAX_IN_BACKLOGS})`),
    page: pageOfSubscriptions(hour, "", limit, nowMs),
  });
  const open = { due: 0, leased: 0, oldestDueAt: null, fanOuts: 0, backlog: 0, held: 0, ...main[0], ...apart[0] };
  return { open, page: pageFrom(page) };
}

/**
 * Reads the page of subscriptions after the id `after`. Those of a tenant that was moved are counted in its new
 * database, and their attempts where they were made.
 */
export async function readSubscriptions(
  db: Db,
  hour: number,
  { after, limit }: { after: string; limit: number },
  nowMs: number,
): Promise<SubscriptionPage> {
  const { page } = await atomically(db, { page: pageOfSubscriptions(hour, after, limit, nowMs) });
  return pageFrom(page);
}

type PageRow = Omit<SubscriptionPage, "histogram"> & { histogramJson: string };

const BUCKET_SUMS = sql.raw(
  `json_array(${BUCKET_STARTS_MS.map((_, bucket) => `coalesce(sum(h.latency_${bucket}), 0)`).join(", ")})`,
);

const pageOfSubscriptions = (hour: number, after: string, limit: number, nowMs: number) =>
  rows<PageRow>(sql`WITH page AS (
      SELECT id, tenant_id, is_deleted, enabled, disabled_reason, slow_until FROM subscriptions WHERE id > ${after}
      ORDER BY id
        LIMIT ${limit}),
    known AS (SELECT page.id, CASE WHEN is_deleted OR ${hasDeparted(sql.raw("page.tenant_id"))} THEN ''
      WHEN NOT enabled THEN iif(disabled_reason IS NULL, 'paused', 'disabled')
        WHEN e.failing_since IS NOT NULL AND e.stage <> ${STAGE.recovered} THEN 'failing'
          WHEN slow_until > ${nowMs} THEN 'slow' ELSE 'healthy' END AS state
      FROM page LEFT JOIN episodes e ON e.subscription_id = page.id)
    SELECT count(*) AS rows, max(k.id) AS last, count(*) FILTER (WHERE k.state = 'healthy') AS healthy,
      count(*) FILTER (WHERE k.state = 'failing') AS failing, count(*) FILTER (WHERE k.state = 'slow') AS slow,
      count(*) FILTER (WHERE k.state = 'disabled') AS disabled, count(*) FILTER (WHERE k.state = 'paused') AS paused,
      coalesce(sum(h.succeeded), 0) AS succeeded, coalesce(sum(h.failed), 0) AS failed, ${BUCKET_SUMS} AS histogramJson
    FROM known k LEFT JOIN hourly_stats h ON h.subscription_id = k.id AND h.hour = ${hour}`);

function pageFrom([row]: PageRow[]): SubscriptionPage {
  if (!row) throw new Error("an aggregate without a row");
  const { histogramJson, ...counts } = row;
  return { ...counts, histogram: JSON.parse(histogramJson) as number[] };
}

/** A delivery database as the control plane knows it. */
interface KnownShard {
  shard: number;
  bytes: number;
  /** Null until the hourly cron has counted. */
  totals: Totals | null;
}

/**
 * Reads what the hourly cron has noted about the delivery databases, and the dead letters since `sinceMs` (Unix ms),
 * fan-outs included.
 */
export async function readControlPlane({ db }: Pick<Deps, "db">, sinceMs: number) {
  const { shards, dead } = await atomically(db, {
    shards: rows<{ shard: number; bytes: number; totals: string | null }>(
      sql`SELECT shard, bytes, totals FROM shards WHERE shard >= 0`,
    ),
    dead: rows<{ queue: "mail" | "deliveries"; messages: number }>(
      sql`SELECT iif(queue LIKE '%-mail-dead', 'mail', 'deliveries') AS queue, sum(messages) AS messages
        FROM dead_letters WHERE hour >= ${sinceMs} GROUP BY 1`,
    ),
  });
  const known: KnownShard[] = shards.map(({ totals, ...rest }) => ({
    ...rest,
    totals: totals === null ? null : (JSON.parse(totals) as Totals),
  }));
  return { shards: known, dead };
}

/** Stores the counts of a delivery database. Does nothing until the size of the database is noted. */
export async function noteTotals(db: Db, shard: number, totals: Totals): Promise<void> {
  await query(db)`UPDATE shards SET totals = ${JSON.stringify(totals)} WHERE shard = ${shard}`;
}
