/** `/events`: publishing events, and their outcomes. */
import type { AttemptSummary } from "./attempts";
import type { Call, CallOptions } from "./call";
import { type Paged, paged } from "./pages";
import { query, segment } from "./path";
import type { Timestamp } from "./types";

/** An event to publish. */
export interface NewEvent {
  /** The event's type, such as `OrderPaid`; subscriptions choose by it. */
  type: string;
  /** Any JSON value; it is the body of each delivery. The whole request may hold 256 KiB. */
  payload: unknown;
  /** Up to 128 printable ASCII characters, sent with each delivery as `X-Correlation-Id`. */
  correlationId?: string | undefined;
}

/** An event of a batch. */
export interface NewBatchEvent extends NewEvent {
  /**
   * 1 to 255 printable ASCII characters, each only once in a batch. For 24 hours, the same key with the same event
   * delivers nothing.
   */
  idempotencyKey?: string | undefined;
}

/** An event that the service has stored. */
export interface PublishedEvent {
  id: string;
  type: string;
  /** How many subscriptions the event goes to. */
  deliveries: number;
}

/** Options of `client.events.publish`. */
export interface PublishOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters. For 24 hours, the same key with the same body returns the first event and
   * delivers nothing.
   */
  idempotencyKey?: string | undefined;
}

/** Which events to return. */
export interface EventFilter {
  /** Events on a page, 1 to 100; 50 unless given. */
  limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
  type?: string | undefined;
  /** ISO 8601 with any offset: events published then or later. */
  since?: string | undefined;
}

/** A published event without its payload. */
export interface EventSummary {
  id: string;
  type: string;
  correlationId?: string | undefined;
  /** How many subscriptions received it when it was published. */
  deliveries: number;
  createdAt: Timestamp;
}

/** What became of an event for one subscription that wanted it. */
export interface EventOutcome {
  webhookId: string;
  /** The name of the subscription. */
  name: string;
  /** The id that the delivery has, or would have. Sent as `webhook-id`. */
  deliveryId: string;
  state: "delivered" | "failed" | "waiting" | "skipped";
  /**
   * Why it waits: `sending`, `retry`, `queue` (about to be sent, or due at `until` because of a fault of the service),
   * `limit` (because of the subscription's limits), `backlog` (other deliveries to this subscription come first),
   * `held` (the subscription holds its deliveries), `held-by-operator` (an operator of the service holds all that is
   * sent for the tenant), `retry-after` (the subscriber asked for a pause), `fan-out` (deliveries of the event are
   * still being created). Why it was skipped: the subscription was `paused` when the event was published,
   * `created-later`, or `deleted`.
   */
  reason?:
    | "sending"
    | "retry"
    | "queue"
    | "limit"
    | "backlog"
    | "held"
    | "held-by-operator"
    | "retry-after"
    | "fan-out"
    | "paused"
    | "created-later"
    | "deleted"
    | undefined;
  /** When the next attempt is due, if that is known. */
  until?: Timestamp | undefined;
  /** The latest attempt. */
  attempt?: AttemptSummary | undefined;
}

/** A published event, and what became of it. */
export interface EventDetail extends EventSummary {
  /** Any JSON value. Null for `postern.audit`. */
  payload: unknown;
  /** Each subscription that wanted the event, oldest first, at most 100 on a page. */
  subscriptions: EventOutcome[];
}

/** An event with one page of its subscriptions. */
export interface EventDetailPage {
  data: EventDetail;
  /** Leads to the next page of `subscriptions`; null on the last one. */
  nextCursor: string | null;
}

/** Options of `client.events.get`. */
export interface EventOptions extends CallOptions {
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
}

/**
 * `client.events`.
 *
 * @example
 * await client.events.publish({ type: "OrderPaid", payload: { order: 42 } }, { idempotencyKey: "order-42-paid" });
 */
export interface EventMethods {
  /**
   * Publishes an event to every enabled subscription of the tenant that lists its type. Returns its id, and how many
   * subscriptions it goes to. Once this returns, the event is stored and is delivered at least once. Without an
   * `idempotencyKey`, calling again publishes a second event. Throws FORBIDDEN, VALIDATION_FAILED, PAYLOAD_TOO_LARGE,
   * and CONFLICT for a key that was used with another body.
   */
  publish(body: NewEvent, options?: PublishOptions): Promise<PublishedEvent>;
  /**
   * Publishes 1 to 100 events, all of them or none; the request may hold 1 MiB. Returns them in the same order. Limits
   * count each event. Throws FORBIDDEN, VALIDATION_FAILED with the position in `details[].path`, PAYLOAD_TOO_LARGE,
   * RATE_LIMITED, and CONFLICT for a key that was used with another event.
   */
  publishBatch(events: readonly NewBatchEvent[], options?: CallOptions): Promise<PublishedEvent[]>;
  /** Returns the tenant's events, newest first. Throws FORBIDDEN, VALIDATION_FAILED. */
  list(filter?: EventFilter, options?: CallOptions): Paged<EventSummary>;
  /**
   * Returns an event and, for each subscription that wanted it, whether it was delivered, has failed, waits or was
   * skipped, and why. Throws FORBIDDEN, NOT_FOUND.
   */
  get(id: string, options?: EventOptions): Promise<EventDetailPage>;
  /** Returns the subscriptions of `get` as a list, oldest first. Throws FORBIDDEN, NOT_FOUND. */
  outcomes(id: string, options?: EventOptions): Paged<EventOutcome>;
}

export function eventMethods(call: Call): EventMethods {
  const get: EventMethods["get"] = (id, { cursor, ...options } = {}) =>
    call.answer(`GET /events/${segment(id)}${query({ cursor })}`, options);
  return {
    publish: (body, options) => call.data("POST /events", { ...options, body }),
    publishBatch: (events, options) => call.data("POST /events/batch", { ...options, body: { events } }),
    list: (filter = {}, options) =>
      paged((cursor) => call.answer(`GET /events${query({ ...filter, cursor })}`, options), filter.cursor),
    get,
    outcomes: (id, { cursor: from, ...options } = {}) =>
      paged(async (cursor) => {
        const { data, nextCursor } = await get(id, { ...options, cursor });
        return { data: data.subscriptions, nextCursor };
      }, from),
  };
}
