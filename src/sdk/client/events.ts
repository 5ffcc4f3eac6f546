/** `/events`: publishing events, and their outcomes. */

import type { Call, CallOptions } from "./call";
import type {
  EventDetailPage,
  EventFilter,
  EventOutcome,
  EventSummary,
  NewBatchEvent,
  NewEvent,
  PublishedEvent,
} from "./generated";
import { type Paged, paged } from "./pages";
import { query, segment } from "./path";

/** Options of `client.events.publish`. */
export interface PublishOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters. For 24 hours, the same key with the same body returns the first event and
   * delivers nothing.
   */
  idempotencyKey?: string | undefined;
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
   * CONFLICT for a key that was used with another body, and SERVICE_UNAVAILABLE while the database takes no events.
   */
  publish(body: NewEvent, options?: PublishOptions): Promise<PublishedEvent>;
  /**
   * Publishes 1 to 100 events, all of them or none; the request may hold 1 MiB. Returns them in the same order. Limits
   * count each event. Throws FORBIDDEN, VALIDATION_FAILED with the position in `details[].path`, PAYLOAD_TOO_LARGE,
   * RATE_LIMITED, CONFLICT for a key that was used with another event, and SERVICE_UNAVAILABLE as for `publish`.
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
