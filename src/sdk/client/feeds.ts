/** `/feeds`: lists of events that programs pull. */

import type { Call, CallOptions } from "./call";
import type { FeedEvent, FeedPage } from "./generated";
import type { FeedEndpoints } from "./generated-methods";
import { feedEndpoints } from "./generated-requests";
import { query, segment } from "./path";

/** Where a reader begins, and how much it gets at once. Without `cursor`, `from` and `consumer`, it begins now. */
export interface FeedReadOptions extends CallOptions {
  /** The cursor of a page or an item. */
  cursor?: string | undefined;
  /** Begins with the oldest event of the feed. Not together with `cursor`. */
  from?: "oldest" | undefined;
  /** Events on a page, 1 to 500; 100 unless given. */
  limit?: number | undefined;
  /** Skips events that are older, in milliseconds. */
  maxAgeMs?: number | undefined;
  /** Goes on after what this consumer has acknowledged. Not together with `cursor`. */
  consumer?: string | undefined;
}

/** Options of `client.feeds.poll`. */
export interface FeedPollOptions extends FeedReadOptions {
  /** How many seconds an empty answer waits for an event, 0 to 20; 0 unless given. */
  wait?: number | undefined;
}

/** An event, and a cursor from which a reader goes on without missing anything. */
export interface FeedItem {
  event: FeedEvent;
  /**
   * The end of the page after its last event; before that the begin of the page, so that some events come again. Null
   * on the first page of a reader that began without a cursor.
   */
  cursor: string | null;
}

/**
 * `client.feeds`. Every method that takes an id throws NOT_FOUND for a feed that the tenant does not have.
 *
 * @example
 * const options = { consumer: "billing", from: "oldest" } as const;
 * for await (const { event } of client.feeds.read(feedId, options)) await handle(event);
 */
export interface FeedMethods extends FeedEndpoints {
  /**
   * Returns a page of events after a cursor. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED for a cursor of another
   * feed, and CONFLICT while the same consumer is being polled.
   */
  poll(id: string, options?: FeedPollOptions): Promise<FeedPage>;
  /**
   * Returns the events as an endless list, and waits for new ones; break out of the loop to end it. A consumer's page
   * is acknowledged when the loop asks for the next one. Throws what `poll` throws.
   */
  read(id: string, options?: FeedReadOptions): AsyncIterable<FeedItem>;
}

/** How long `read` lets the service wait for an event. */
const WAIT_SECONDS = 20;

export function feedMethods(call: Call): FeedMethods {
  const endpoints = feedEndpoints(call);
  const poll: FeedMethods["poll"] = (id, { signal, timeoutMs, ...asked } = {}) =>
    call.answer(`GET /feeds/${segment(id)}/events${query(asked)}`, { signal, timeoutMs });
  return { ...endpoints, poll, read: (id, options = {}) => readAll(id, options, { poll, ack: endpoints.ack }) };
}

async function* readAll(
  id: string,
  { cursor: begin, from, consumer, limit, maxAgeMs, ...options }: FeedReadOptions,
  { poll, ack }: Pick<FeedMethods, "poll" | "ack">,
): AsyncGenerator<FeedItem> {
  for (let cursor = begin ?? null; ; ) {
    const place = consumer === undefined && cursor !== null ? { cursor } : { from, consumer };
    const page = await poll(id, { ...options, ...place, limit, maxAgeMs, wait: WAIT_SECONDS });
    for (const [index, event] of page.data.entries()) {
      yield { event, cursor: index === page.data.length - 1 ? page.cursor : cursor };
    }
    cursor = page.cursor;
    if (consumer !== undefined && page.data.length > 0) await ack(id, consumer, cursor, options);
    await new Promise((resolve) => setTimeout(resolve, page.nextPollMs));
  }
}
