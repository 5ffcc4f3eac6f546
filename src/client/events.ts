/** `/events`: publishing. */
import type { Call, CallOptions } from "./call";

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
  /** 1 to 255 printable ASCII characters, each only once in a batch. For 24 hours the same key with the same event delivers nothing again. */
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
  /** 1 to 255 printable ASCII characters. For 24 hours the same key with the same body returns the first event and delivers nothing again. */
  idempotencyKey?: string | undefined;
}

/**
 * `client.events`.
 *
 * @example
 * await client.events.publish({ type: "OrderPaid", payload: { order: 42 } }, { idempotencyKey: "order-42-paid" });
 */
export interface EventMethods {
  /**
   * Publishes an event to every enabled subscription of the tenant that lists its type. Once this returns, the event is stored
   * and is delivered at least once. Without an `idempotencyKey`, calling again publishes a second event.
   * Throws FORBIDDEN, VALIDATION_FAILED, PAYLOAD_TOO_LARGE, and CONFLICT for a key that was used with another body.
   */
  publish(body: NewEvent, options?: PublishOptions): Promise<PublishedEvent>;
  /**
   * Publishes 1 to 100 events, all of them or none; the request may hold 1 MiB. Returns them in the same order. Limits count each event.
   * Throws FORBIDDEN, VALIDATION_FAILED with the position in `details[].path`, PAYLOAD_TOO_LARGE, RATE_LIMITED, and CONFLICT for a key
   * that was used with another event.
   */
  publishBatch(events: readonly NewBatchEvent[], options?: CallOptions): Promise<PublishedEvent[]>;
}

export const eventMethods = (call: Call): EventMethods => ({
  publish: (body, options) => call.data("POST /events", { ...options, body }),
  publishBatch: (events, options) => call.data("POST /events/batch", { ...options, body: { events } }),
});
