/** `/events`: publishing events, and their outcomes. */
import type { Call } from "./call";
import type { EventOutcome } from "./generated";
import type { EventEndpoints, EventOptions } from "./generated-methods";
import { eventEndpoints } from "./generated-requests";
import { type Paged, paged } from "./pages";

/**
 * `client.events`.
 *
 * @example
 * await client.events.publish({ type: "OrderPaid", payload: { order: 42 } }, { idempotencyKey: "order-42-paid" });
 */
export interface EventMethods extends EventEndpoints {
  /** Returns the subscriptions of `get` as a list, oldest first. Throws FORBIDDEN, NOT_FOUND. */
  outcomes(id: string, options?: EventOptions): Paged<EventOutcome>;
}

export function eventMethods(call: Call): EventMethods {
  const endpoints = eventEndpoints(call);
  return {
    ...endpoints,
    outcomes: (id, { cursor: from, ...options } = {}) =>
      paged(async (cursor) => {
        const { data, nextCursor } = await endpoints.get(id, { ...options, cursor });
        return { data: data.subscriptions, nextCursor };
      }, from),
  };
}
