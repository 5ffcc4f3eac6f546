/** The outcome of an event: for each subscription that wanted it, whether it was delivered, and if not, why. */
import { timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import { shownPayload, shownText } from "../../base/schemas/shown-payload";
import type { TenantRef } from "../../base/schemas/tenant-ref";
import { DAY_MS, iso } from "../../base/time";
import { inEach, whereFound } from "../../tenancy/moves/places";
import { attemptSummaryView } from "../log/summary";
import { type EventFilter, type EventRow, readEventPage } from "./list-store";
import { mergePages } from "./merge";
import { readOutcomes, type StoredEvent, type TrailRow, type WantingRow } from "./outcomes-store";
import type { EventDetail, EventOutcome, EventSummary } from "./schemas";
import { FilteredEvent } from "./why-filtered";

/** Events are kept from this time (Unix ms) on. Older ones may still exist until the next run of retention. */
const oldestMs = (deps: Deps) => deps.now() - deps.config.retentionDays * DAY_MS;

/** Returns one page of the tenant's events, newest first. `since` is in Unix ms. */
export async function eventsOf(
  deps: Deps,
  tenant: TenantRef,
  filter: Omit<EventFilter, "since"> & { since?: number | undefined },
): Promise<{ data: EventSummary[]; nextCursor: string | null }> {
  const since = Math.max(filter.since ?? 0, oldestMs(deps));
  const pages = await inEach(tenant, (place) => readEventPage(deps, place, { ...filter, since }));
  const { rows, nextCursor } = mergePages(pages, filter.limit);
  return { data: rows.map(summaryView), nextCursor };
}

/**
 * Returns an event and one page of the subscriptions that wanted it. Throws NOT_FOUND, also for an event beyond the
 * retention.
 */
export async function eventDetail(
  deps: Deps,
  tenant: TenantRef,
  id: string,
  cursor?: string,
): Promise<{ data: EventDetail; nextCursor: string | null }> {
  const { data, nextCursor } = await eventWithText(deps, tenant, id, cursor);
  return { data, nextCursor };
}

/** Like `eventDetail`, with the payload as the text that was published. */
export async function eventWithText(deps: Deps, tenant: TenantRef, id: string, cursor?: string) {
  const read = await whereFound(
    tenant,
    (place) => readOutcomes(deps, place, id, cursor),
    (found) => found !== null,
  );
  if (!read || read.event.createdAt < oldestMs(deps)) throw notFound("Event");
  const { event, wanting, trails, nextCursor } = read;
  const trailsOf = Map.groupBy(trails, ({ webhookId }) => webhookId);
  const filtered = new FilteredEvent(tenant.tenantId, event);
  const subscriptions = wanting.map((row) => {
    const outcome = outcomeOf(row, trailsOf.get(row.id) ?? [], filtered, deps.now());
    return event.isFrozen ? frozenByOperator(outcome) : outcome;
  });
  const payloadText = shownText(event.type, event.payload);
  return { data: { ...detailView(event), subscriptions }, payloadText, nextCursor };
}

/** A waiting delivery is not sent before the operator releases it. An attempt that is in progress is not stopped. */
function frozenByOperator({ until, ...outcome }: EventOutcome): EventOutcome {
  if (outcome.state !== "waiting" || outcome.reason === "sending") return { ...outcome, ...(until ? { until } : {}) };
  return { ...outcome, reason: "held-by-operator" };
}

type Verdict = Pick<EventOutcome, "state" | "reason"> & { untilMs?: number | undefined };

function outcomeOf(row: WantingRow, trail: readonly TrailRow[], event: FilteredEvent, nowMs: number): EventOutcome {
  const [original = [], retry = []] = [0, 1].map((isRetry) => trail.filter((step) => step.isRetry === isRetry));
  const shown = original[0]?.status === "success" || retry.length === 0 ? original : retry;
  const attempt = [...shown, ...original].find(({ status }) => status !== null);
  const { state, reason, untilMs } = verdictOf(row, shown, nowMs);
  return {
    webhookId: row.id,
    name: row.name,
    deliveryId: row.deliveryId,
    state,
    ...(reason === undefined ? {} : { reason }),
    ...(reason === "filtered" ? event.why(row) : {}),
    ...(untilMs === undefined ? {} : { until: iso(untilMs) }),
    ...(attempt ? { attempt: attemptSummaryView({ ...attempt, status: attempt.status ?? "pending" }) } : {}),
  };
}

/** Decides from the newest step of a delivery's trail: an attempt, or the id of a planned one. */
function verdictOf(row: WantingRow, [newest, before]: readonly TrailRow[], nowMs: number): Verdict {
  if (newest?.status === "success") return { state: "delivered" };
  if (newest?.status === "failed" && newest.nextId === null) return { state: "failed" };
  if (newest?.status === "pending") return { state: "waiting", reason: "sending" };
  if (row.isDeleted) return { state: "skipped", reason: "deleted" };
  if (newest && newest.id !== row.deliveryId) {
    if (newest.slotAt !== null) return waiting(row, nowMs, newest.slotAt, "limit");
    return waiting(row, nowMs, timeOfId(newest.id), before || newest.isRetry ? "retry" : "queue");
  }
  if (row.queue !== null) return waiting(row, nowMs);
  if (row.isFiltered) return { state: "skipped", reason: "filtered" };
  if (row.isNewer) return { state: "skipped", reason: "created-later" };
  if (row.isAhead)
    return row.enabled ? { state: "waiting", reason: "fan-out" } : { state: "skipped", reason: "paused" };
  return row.wasEnabled ? waiting(row, nowMs) : { state: "skipped", reason: "paused" };
}

/** Returns why a delivery that is due at `dueMs` waits, and until when. */
function waiting(
  { cooldownUntil, hasBacklog, releasedTo }: WantingRow,
  nowMs: number,
  dueMs = 0,
  reason: "retry" | "queue" | "limit" = "queue",
): Verdict {
  if (cooldownUntil > Math.max(nowMs, dueMs))
    return { state: "waiting", reason: "retry-after", untilMs: cooldownUntil };
  if (dueMs > nowMs) return { state: "waiting", reason, untilMs: dueMs };
  if (hasBacklog && releasedTo === 0) return { state: "waiting", reason: "held" };
  return { state: "waiting", reason: hasBacklog ? "backlog" : reason };
}

const summaryView = (event: EventRow): EventSummary => ({
  id: event.id,
  type: event.type,
  ...(event.correlationId === null ? {} : { correlationId: event.correlationId }),
  ...(event.orderKey === null || event.sequence === null ? {} : { orderKey: event.orderKey, sequence: event.sequence }),
  deliveries: event.deliveryCount,
  ...(event.filtered > 0 ? { filtered: event.filtered } : {}),
  ...(event.isTest ? { test: true } : {}),
  createdAt: iso(event.createdAt),
});

const detailView = (event: StoredEvent) => ({
  ...summaryView(event),
  payload: shownPayload(event.type, event.payload),
});
