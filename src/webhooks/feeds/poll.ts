/** Reading a feed: a page after a cursor, or after what a consumer has acknowledged. */
import { fromStored } from "../../base/db/stored-text";
import type { Deps } from "../../base/deps";
import { notFound, orNotFound } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import { iso } from "../../base/time";
import { placesOf } from "../../tenancy/moves/places";
import { positionAt } from "../events/entries-store";
import { insertConsumer } from "./consumers-store";
import { makeCursor, positionOf } from "./cursor";
import { duringPoll, type OpenPoll } from "./open-poll";
import {
  type EntryPage,
  EXAMINED_ENTRIES,
  type FeedRef,
  findEntries,
  MAX_PAGE_BYTES,
  readEvents,
  type SizedEvent,
  type Start,
} from "./page-store";
import type { FeedQuery } from "./schemas";

/** The end of the caller's access ends an answer that waits so soon. */
const CHECK_EVERY_MS = 4_900;
/** An answer comes when the caller would be asked for once more: after 19.6 s for `wait=20`. */
const LONGEST_WAIT_MS = 4 * CHECK_EVERY_MS;
/** The longest pause before a read, if those before it found nothing: the feed lists other types than are published. */
const LONGEST_PAUSE_MS = 2_000;
const NEXT_POLL_MS = 2_000;
/** Who waits in the service needs no pause of its own. */
const NEXT_WAITING_POLL_MS = 500;

/** A poll. Who may not move a consumer neither holds its place nor keeps others from making one. */
export interface Poll extends FeedQuery {
  mayMove: boolean;
  /** Throws when the caller may not read any more: what comes after that is not answered. */
  checkCaller: () => Promise<void>;
}

/** A page of a feed; `data` are the events as JSON texts, in which the payloads are as they were published. */
export interface FeedPage {
  data: string[];
  cursor: string;
  hasMore: boolean;
  nextPollMs: number;
  truncated: boolean;
}

/**
 * Reads a page, and waits for an event if it is empty. Throws NOT_FOUND, VALIDATION_FAILED for a cursor of another
 * feed, and CONFLICT for one consumer too many or a second poll of a consumer at the same time.
 */
export async function pollFeed(deps: Deps, feed: FeedRef, query: Poll): Promise<FeedPage> {
  const { consumer, cursor, from, mayMove } = query;
  // Without a cursor, a reader who waited could miss an event: only the answer says from where on it reads.
  const waits = consumer !== undefined || cursor !== undefined || from === "oldest";
  const wait = waits ? query.wait : 0;
  const exclusive = consumer !== undefined && mayMove ? consumer : null;
  const page =
    wait === 0 && exclusive === null
      ? await readPage(deps, feed, beginOf(feed, query), query)
      : await duringPoll(deps, feed, exclusive, (poll) => waitForPage(deps, feed, { ...query, wait }, poll));
  const { position, ...read } = page;
  const nextPollMs = page.hasMore ? 0 : wait > 0 ? NEXT_WAITING_POLL_MS : NEXT_POLL_MS;
  return { ...read, cursor: makeCursor(feed.feedId, position), nextPollMs };
}

type FeedStart = Pick<FeedQuery, "consumer" | "cursor"> & { from?: "oldest" | "now" | undefined };

function beginOf(feed: FeedRef, { consumer, cursor, from = "now" }: FeedStart): Start {
  if (consumer !== undefined) return { consumer };
  return cursor === undefined ? { from } : { position: positionOf(feed.feedId, cursor) };
}

async function waitForPage(deps: Deps, feed: FeedRef, query: Poll, poll: OpenPoll): Promise<Read> {
  const endsAtMs = deps.now() + Math.min(query.wait * 1_000, LONGEST_WAIT_MS);
  let page = await readPage(deps, feed, beginOf(feed, query), query);
  let checkAtMs = deps.now() + CHECK_EVERY_MS;
  let pauseMs = 0;
  while (isEmpty(page) && deps.now() < endsAtMs && poll.isOpen()) {
    if (await poll.isWokenWithin(Math.min(checkAtMs, endsAtMs) - deps.now())) {
      if (pauseMs > 0) await scheduler.wait(pauseMs);
      page = await readPage(deps, feed, { position: page.position }, query);
      pauseMs = Math.min(pauseMs + 1_000, LONGEST_PAUSE_MS);
    }
    const isDue = deps.now() >= checkAtMs && deps.now() < endsAtMs;
    if (isEmpty(page) && !isDue) continue;
    await query.checkCaller();
    checkAtMs = deps.now() + CHECK_EVERY_MS;
  }
  return page;
}

const isEmpty = ({ data, hasMore, truncated }: Read): boolean => data.length === 0 && !hasMore && !truncated;

type Read = Pick<FeedPage, "data" | "hasMore" | "truncated"> & { position: number };

async function readPage(deps: Deps, feed: FeedRef, start: Start, query: Poll): Promise<Read> {
  const { limit, maxAgeMs } = query;
  const floor = maxAgeMs === undefined ? 0 : positionAt(deps.now() - maxAgeMs);
  const page = orNotFound(await findEntries(deps, feed, start, { floor, limit }), "Feed");
  const { state, skipped } = page;
  if (state.after === null) return readPage(deps, feed, await newConsumer(deps, feed, page, query), query);
  const truncated = state.after < state.trimmedTo || skipped.isListed;
  if (!skipped.isListed && skipped.examined === EXAMINED_ENTRIES) {
    return { data: [], hasMore: true, truncated, position: skipped.last ?? state.after };
  }
  const read = await eventsOf(deps, feed, page, limit);
  // Not past the head: a commit of an isolate whose clock is slow can still take a position before `floor`.
  const position = Math.max(state.after, Math.min(floor - 1, state.head), read.position);
  return { data: read.data, hasMore: read.hasMore, truncated: truncated || read.isTruncated, position };
}

/** Makes the consumer of the query, and returns where it begins. */
async function newConsumer(deps: Deps, feed: FeedRef, { state }: EntryPage, query: Poll): Promise<Start> {
  const { consumer: name = "", from = "now", mayMove } = query;
  const { caps } = deps.config;
  const most = mayMove ? caps.feedConsumers : Math.floor(caps.feedConsumers / 2);
  const position = from === "oldest" ? state.trimmedTo : state.head;
  const isMade = await insertConsumer(deps, feed, { name, position, most, nowMs: deps.now() });
  if (!isMade) throw capReached("feedConsumers", caps);
  return { consumer: name };
}

/** The events of a page, as many as fit, and up to where it has come. */
async function eventsOf(deps: Deps, feed: FeedRef, { wanted, reach }: EntryPage, limit: number) {
  const listed = wanted.slice(0, limit);
  const found = await findEvents(
    deps,
    feed,
    listed.map(({ eventId }) => eventId),
  );
  const data: string[] = [];
  let [bytes, position, isTruncated] = [0, 0, false];
  for (const entry of listed) {
    const stored = found.get(entry.eventId);
    bytes += stored?.bytes ?? 0;
    if (stored && (!stored.event || (data.length > 0 && bytes > MAX_PAGE_BYTES))) {
      return { data, hasMore: true, isTruncated, position };
    }
    // Retention removes events and their entries separately.
    if (stored?.event) data.push(await textOf(stored.id, stored.event));
    else isTruncated = true;
    position = entry.position;
  }
  const isCut = wanted.length > limit;
  const reached = isCut ? position : Math.max(position, reach.last ?? 0);
  return { data, hasMore: isCut || reach.examined === EXAMINED_ENTRIES, isTruncated, position: reached };
}

/** Finds events by their ids, those from before a move in the former database. */
async function findEvents(deps: Deps, { tenant }: FeedRef, ids: readonly string[]): Promise<Map<string, SizedEvent>> {
  const found = new Map<string, SizedEvent>();
  for (const place of placesOf(tenant)) {
    const missing = ids.filter((id) => !found.has(id));
    for (const event of await readEvents(deps, place, missing)) found.set(event.id, event);
  }
  return found;
}

async function textOf(id: string, event: NonNullable<SizedEvent["event"]>): Promise<string> {
  const { type, createdAt, correlationId, orderKey, sequence, payload } = event;
  const fields = {
    id,
    type,
    createdAt: iso(createdAt),
    ...(correlationId === null ? {} : { correlationId }),
    ...(orderKey === null || sequence === null ? {} : { orderKey, sequence }),
  };
  return `${JSON.stringify(fields).slice(0, -1)},"payload":${await fromStored(payload)}}`;
}

/** Throws NOT_FOUND unless the caller may use this feed: the token of a feed is for that feed alone. */
export function ownFeed(principal: FeedRef["tenant"] & { feedId?: string }, feedId: string): FeedRef {
  if (principal.feedId !== undefined && principal.feedId !== feedId) throw notFound("Feed");
  return { tenant: principal, feedId };
}
