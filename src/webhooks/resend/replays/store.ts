/** Replay jobs in the delivery database of their tenant. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, queryFirst, rows } from "../../../base/db/client";
import { firstIdAt } from "../../../base/db/ids";
import type { Deps } from "../../../base/deps";
import type { ActingIn } from "../../../base/schemas/actor";
import type { TenantRef } from "../../../base/schemas/tenant-ref";
import { auditOf } from "../../../tenancy/audit/record-store";
import { isLive } from "../../plane/live-store";
import { sendOperational } from "../../plane/operational";
import { publishOperational } from "../../plane/operational-store";
import { RECEIVES_EVENTS } from "../../plane/predicates-store";
import { IDEMPOTENCY_WINDOW_MS } from "../../plane/timing";

const PAGE_JOBS = 50;
/** How many jobs of one database are continued in one run. */
const MAX_RUNNING = 50;

/** Which deliveries a job sends. Times are Unix ms. */
export interface ReplaySpec {
  which: "failed" | "missing" | "all";
  since: number;
  /** Exclusive. */
  until: number;
  /** Null: all types of the subscription. */
  eventTypes: string[] | null;
  includeBefore: boolean;
  ratePerMinute: number;
}

/** A replay job. Times are Unix ms. */
export interface ReplayJob extends ReplaySpec {
  id: string;
  tenantId: string;
  subscriptionId: string;
  state: "running" | "finished" | "stopped";
  /** The last id that was read: of an event or, in a replay of failed deliveries, of an attempt. */
  cursor: string;
  /** How many deliveries it has queued. */
  queued: number;
  /** The time up to which its rate is used up. */
  pacedAt: number;
  createdAt: number;
  endedAt: number | null;
}

type StoredJob = Omit<ReplayJob, keyof ReplaySpec> & { spec: string };

const COLUMNS =
  sql.raw(`r.id, r.tenant_id AS tenantId, r.subscription_id AS subscriptionId, r.spec, r.state, r.cursor, r.queued,
  r.paced_at AS pacedAt, r.created_at AS createdAt, r.ended_at AS endedAt`);

const parsed = ({ spec, ...job }: StoredJob): ReplayJob => ({ ...job, ...(JSON.parse(spec) as ReplaySpec) });

const dbOf = (deps: Deps, tenant: TenantRef): Db => deps.shards.db(tenant.shard);

/**
 * Whether a replay can be sent to the subscription `s`, as SQL. If it is paused and does not hold deliveries, every
 * attempt would fail.
 */
export const isReady: SQL = RECEIVES_EVENTS;

/** The most jobs of a subscription that are stored, and that begin in 24 hours. */
export const MAX_JOBS = 1_000;

/** The result of `insertJob`. */
export type InsertedJob =
  | { kind: "inserted" | "repeated"; job: ReplayJob }
  | { kind: "no subscription" | "paused" | "running" | "too many" | "other request" };

/**
 * Inserts a job, unless another job of the subscription is running. If the Idempotency-Key has made a job in the last
 * 24 hours, returns that job. Forgets jobs from before `forgetBefore` (Unix ms), and older ones than the newest
 * `MAX_JOBS`, of which there may be as many in 24 hours.
 */
export async function insertJob(
  deps: Deps,
  tenant: ActingIn,
  subscriptionId: string,
  { id, cursor, pacedAt, spec }: Pick<ReplayJob, "id" | "cursor" | "pacedAt"> & { spec: ReplaySpec },
  { key, requestHash }: { key: string | null; requestHash: string | null },
  nowMs: number,
  forgetBefore: number,
): Promise<InsertedJob> {
  const ofKey = sql`FROM replay_jobs r WHERE r.subscription_id = ${subscriptionId}
    AND r.id >= ${firstIdAt(nowMs - IDEMPOTENCY_WINDOW_MS)}
    AND r.idempotency_key = ${key} AND r.tenant_id = ${tenant.tenantId}`;
  const running = sql`FROM replay_jobs WHERE subscription_id = ${subscriptionId} AND state = 'running'`;
  const live = sql`subscriptions s WHERE ${isLive(tenant, subscriptionId)}`;
  const recent = sql`(SELECT count(*) FROM replay_jobs d WHERE d.subscription_id = ${subscriptionId}
    AND d.id >= ${firstIdAt(nowMs - IDEMPOTENCY_WINDOW_MS)})`;
  const { found, repeated, busy, inserted } = await atomically(dbOf(deps, tenant), {
    found: rows<{ id: string; recent: number }>(sql`SELECT s.id, ${recent} AS recent FROM ${live}`),
    repeated: rows<StoredJob & { requestHash: string | null }>(
      sql`SELECT ${COLUMNS}, r.request_hash AS requestHash ${ofKey} ORDER BY r.id DESC LIMIT 1`,
    ),
    busy: rows<{ id: string }>(sql`SELECT id ${running}`),
    // After the reads, which tell why nothing was inserted.
    written: sql`INSERT INTO replay_jobs (subscription_id, id, tenant_id, spec, state, cursor, paced_at, created_at,
      idempotency_key, request_hash)
      SELECT s.id, ${id}, s.tenant_id, ${JSON.stringify(spec)}, 'running', ${cursor}, ${pacedAt}, ${nowMs}, ${key},
        ${requestHash}
      FROM ${live} AND ${isReady} AND NOT EXISTS (SELECT 1 ${ofKey}) AND NOT EXISTS (SELECT 1 ${running})
        AND ${recent} < ${MAX_JOBS}`,
    recorded: auditOf(
      tenant,
      "webhook.replayed",
      { kind: "webhook", id: subscriptionId },
      { replayId: id, which: spec.which },
    ),
    forgotten: sql`DELETE FROM replay_jobs WHERE subscription_id = ${subscriptionId}
      AND id < max(${firstIdAt(forgetBefore)}, coalesce((SELECT n.id FROM replay_jobs n
        WHERE n.subscription_id = ${subscriptionId} ORDER BY n.id DESC LIMIT 1 OFFSET ${MAX_JOBS - 1}), ''))
      AND tenant_id = ${tenant.tenantId} AND state <> 'running'`,
    inserted: rows<StoredJob>(
      sql`SELECT ${COLUMNS} FROM replay_jobs r WHERE r.subscription_id = ${subscriptionId} AND r.id = ${id}`,
    ),
  });
  if (inserted[0]) return { kind: "inserted", job: parsed(inserted[0]) };
  const [subscription] = found;
  if (subscription === undefined) return { kind: "no subscription" };
  if (repeated[0]) {
    const { requestHash: firstHash, ...job } = repeated[0];
    return firstHash === requestHash ? { kind: "repeated", job: parsed(job) } : { kind: "other request" };
  }
  if (busy.length > 0) return { kind: "running" };
  return { kind: subscription.recent >= MAX_JOBS ? "too many" : "paused" };
}

/** Returns one page of a subscription's jobs, newest first; undefined when the tenant has no such subscription. */
export async function listJobs(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  cursor: string | undefined,
): Promise<{ jobs: ReplayJob[]; nextCursor: string | null } | undefined> {
  const { found, listed } = await atomically(dbOf(deps, tenant), {
    found: rows<{ id: string }>(sql`SELECT s.id FROM subscriptions s WHERE ${isLive(tenant, subscriptionId)}`),
    listed: rows<StoredJob>(sql`SELECT ${COLUMNS} FROM replay_jobs r WHERE r.subscription_id = ${subscriptionId}
      AND r.tenant_id = ${tenant.tenantId} AND ${cursor === undefined ? sql`true` : sql`r.id < ${cursor}`}
      ORDER BY r.id DESC LIMIT ${PAGE_JOBS + 1}`),
  });
  if (found.length === 0) return undefined;
  const jobs = listed.slice(0, PAGE_JOBS).map(parsed);
  return { jobs, nextCursor: listed.length > PAGE_JOBS ? (jobs.at(-1)?.id ?? null) : null };
}

/** Returns one job; undefined when the tenant has no such job or subscription. */
export async function findJob(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  id: string,
): Promise<ReplayJob | undefined> {
  const found = await queryFirst<StoredJob>(dbOf(deps, tenant))`SELECT ${COLUMNS} FROM subscriptions s
    CROSS JOIN replay_jobs r ON r.subscription_id = s.id AND r.id = ${id} WHERE ${isLive(tenant, subscriptionId)}`;
  return found && parsed(found);
}

/**
 * Returns the statement that publishes the end of a running job if `condition` holds. `added` is what it has queued
 * besides `queued`.
 */
export const publishEnd = (
  subscriptionId: string,
  id: string,
  state: "finished" | "stopped",
  added: SQL,
  condition: SQL,
  nowMs: number,
) =>
  publishOperational(
    "postern.replay.finished",
    sql`replay_jobs r CROSS JOIN subscriptions s ON s.id = r.subscription_id
      WHERE r.subscription_id = ${subscriptionId} AND r.id = ${id} AND r.state = 'running' AND s.is_deleted = 0
        AND ${condition}`,
    nowMs,
    { data: sql`'replayId', r.id, 'state', ${state}, 'queued', r.queued + ${added}` },
  );

/** Stops a job that is running. Returns the job, or undefined when the tenant has no such job or subscription. */
export async function stopJob(
  deps: Deps,
  tenant: TenantRef,
  subscriptionId: string,
  id: string,
  nowMs: number,
): Promise<ReplayJob | undefined> {
  const { told, found } = await atomically(dbOf(deps, tenant), {
    // Before the update, which ends the state `running`.
    told: publishEnd(subscriptionId, id, "stopped", sql`0`, sql`r.tenant_id = ${tenant.tenantId}`, nowMs),
    stopped: sql`UPDATE replay_jobs SET state = 'stopped', ended_at = ${nowMs} WHERE subscription_id = ${subscriptionId}
      AND id = ${id}
      AND tenant_id = ${tenant.tenantId} AND state = 'running'`,
    found: rows<StoredJob>(sql`SELECT ${COLUMNS} FROM subscriptions s
      CROSS JOIN replay_jobs r ON r.subscription_id = s.id AND r.id = ${id} WHERE ${isLive(tenant, subscriptionId)}`),
  });
  sendOperational(deps, tenant.shard, told);
  return found[0] && parsed(found[0]);
}

/**
 * Returns running jobs of one database, across its tenants, whose subscription is ready. Stops the jobs of deleted
 * subscriptions.
 */
export async function readRunningJobs(db: Db, nowMs: number): Promise<ReplayJob[]> {
  const running = sql`FROM replay_jobs r INDEXED BY replay_jobs_running CROSS
    JOIN subscriptions s ON s.id = r.subscription_id
    WHERE r.subscription_id > '' AND r.state = 'running'`;
  const { found } = await atomically(db, {
    stopped: sql`UPDATE replay_jobs SET state = 'stopped', ended_at = ${nowMs} WHERE state = 'running'
      AND (subscription_id, id) IN (
      SELECT r.subscription_id, r.id ${running} AND s.is_deleted = 1)`,
    // In a random order, so that every job gets its turn if there are more jobs than one run continues.
    found: rows<StoredJob>(
      sql`SELECT ${COLUMNS} ${running} AND ${isReady} AND s.is_deleted = 0 ORDER BY random() LIMIT ${MAX_RUNNING}`,
    ),
  });
  return found.map(parsed);
}
