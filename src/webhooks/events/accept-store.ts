/** Accepting events in D1: up to 100 events and their deliveries, in one round trip that may be repeated. */
import { atomically, type Db, jsonList } from "../../base/db/client";
import { repeatable } from "../../base/db/faults";
import { unlessStale } from "../../base/db/recheck";
import type { StoredText } from "../../base/db/stored-text";
import type { TenantStanding } from "../../base/schemas/principal";
import { unlessDeparted } from "../../tenancy/moves/fence";
import type { DueDelivery } from "../plane/enqueue";
import { isInMain } from "../plane/outbox-store";
import { IDEMPOTENCY_WINDOW_MS } from "../plane/timing";
import { type AcceptedEvent, statementsFor } from "./accept-statements-store";
import type { Fitting } from "./fitting";
import { hasMore } from "./written-deliveries-store";

/**
 * The most characters in one JSON list of payloads. D1 takes 2 MB a value, and a character has up to 3 bytes in UTF-8.
 */
const MAX_PAYLOAD_LIST_CHARACTERS = 600_000;

/** The rules by which events were checked. */
export interface RulesState {
  revision: string;
  /** The receiving subscriptions that have a filter, as `receiversOf` selects them. */
  receivers: string;
}

export interface NewEvent {
  id: string;
  type: string;
  /** The exact body. */
  payload: StoredText;
  bytes: number;
  correlationId: string | null;
  idempotencyKey: string | null;
  orderKey?: string | null;
  /** How many of our own sources it has come through. */
  hops?: number;
  /** What filters make of it; null or missing where there are none. */
  fitting?: Fitting | null;
  /** SHA-256 of type, payload, correlation id and order key; null without an Idempotency-Key. */
  requestHash: string | null;
}

/**
 * Writes the events, one outbox row for each enabled subscription that receives them, and an entry for those that feeds
 * list. Writes nothing if an Idempotency-Key was used with another event, or if the events need more than
 * `allowedDeliveries`. An event that was published with the same key before is not written again. Returns one row per
 * event in the given order, the deliveries to queue, and how many deliveries the events need if nothing was written.
 * Takes a second round trip unless it has written all of the events. With `rules`, writes nothing if the tenant's rules
 * have changed, and `isStale` is then true. Throws StaleCaller, and writes nothing, if `recheck` fails. `isExpected`: a
 * single event that has more deliveries than get written with it is not written.
 */
export async function acceptEvents(
  db: Db,
  { tenantId, hasFeeds = false, recheck }: Pick<TenantStanding, "tenantId" | "hasFeeds" | "recheck">,
  events: readonly NewEvent[],
  allowedDeliveries: number,
  nowMs: number,
  rules: RulesState | null = null,
  isExpected = false,
): Promise<{ accepted: AcceptedEvent[]; due: DueDelivery[]; wantedDeliveries: number; isStale: boolean }> {
  const manner = { isGuarded: rules !== null, hasFeeds, isExpected };
  const { hasKeys, isOrdered, isFiltered, ...statements } = statementsFor(events, manner);
  const list = listOf(events, { hasKeys, isOrdered, isFiltered });
  const values = {
    list,
    tenantId,
    allowedDeliveries,
    nowMs,
    keysFromMs: nowMs - IDEMPOTENCY_WINDOW_MS,
    ...(rules === null ? {} : { rulesRevision: rules.revision, receivers: rules.receivers }),
  };
  const { inserted, outbox } = await unlessDeparted(tenantId, () =>
    repeatable(
      unlessStale(() =>
        atomically(db, {
          recheck: recheck?.(nowMs),
          unmoved: statements.unmoved(values),
          keys: hasKeys ? statements.keys(values) : undefined,
          // Before the events, which are no longer new once they exist. A delivery id that is already taken fails the
          // whole call.
          outbox: statements.outbox(values),
          numbers: isOrdered ? statements.numbers(values) : undefined,
          entries: hasFeeds ? statements.entries(values) : undefined,
          inserted: payloadLists(events).map((part) => statements.events({ ...values, part })),
        }),
      ),
    ),
  ).catch(nothingIfMore);
  const insertedById = new Map(inserted.map((event) => [event.id, event]));
  const accepted = events.flatMap(({ id, requestHash }) => {
    const event = insertedById.get(id);
    return event ? [{ ...event, requestHash }] : [];
  });
  if (accepted.length === events.length) {
    const due = outbox.filter(isInMain);
    return { accepted, due, wantedDeliveries: 0, isStale: false };
  }
  const read = await repeatable(() =>
    atomically(db, {
      accepted: statements.accepted(values),
      count: statements.count(values),
      due: statements.due(values),
      revision: statements.revision?.(values),
    }),
  );
  const [now] = read.revision;
  const isStale =
    rules !== null && (now?.revision !== rules.revision || (isFiltered && now.receivers !== rules.receivers));
  return { accepted: read.accepted, due: read.due, wantedDeliveries: read.count[0]?.deliveries ?? 0, isStale };
}

/** An event that has more deliveries than were expected is not written. */
function nothingIfMore(error: unknown): { inserted: never[]; outbox: never[] } {
  if (hasMore(error)) return { inserted: [], outbox: [] };
  throw error;
}

/** The events as the statements read them, with the fields that some event needs. */
const listOf = (
  events: readonly NewEvent[],
  { hasKeys, isOrdered, isFiltered }: Pick<ReturnType<typeof statementsFor>, "hasKeys" | "isOrdered" | "isFiltered">,
) =>
  jsonList(
    events.map(({ id, type, bytes, idempotencyKey: key, requestHash: hash, orderKey, fitting }) => ({
      id,
      type,
      bytes,
      ...(isFiltered ? fittingOf(fitting) : {}),
      ...(hasKeys ? { key, hash } : {}),
      ...(isOrdered ? { orderKey } : {}),
    })),
  );

/**
 * Returns the events that were published before with the same Idempotency-Keys in another database of the tenant, by
 * their positions.
 */
export async function readPublished(
  db: Db,
  tenantId: string,
  events: readonly Omit<NewEvent, "payload" | "correlationId" | "orderKey">[],
  nowMs: number,
): Promise<Map<number, AcceptedEvent>> {
  const statements = statementsFor(
    events.map((event) => ({ ...event, orderKey: "" })),
    { isGuarded: true },
  );
  const keyed = events.map(({ id, type, bytes, idempotencyKey: key, requestHash: hash }) => ({
    id,
    type,
    bytes,
    key,
    hash,
  }));
  const values = { list: jsonList(keyed), tenantId, nowMs, keysFromMs: nowMs - IDEMPOTENCY_WINDOW_MS };
  const { accepted } = await repeatable(() => atomically(db, { accepted: statements.accepted(values) }));
  return new Map([...accepted.entries()].filter(([, { id }]) => id !== null));
}

/** What a statement reads of `fitting`. */
const fittingOf = (fitting: Fitting | null | undefined) =>
  fitting ? { included: fitting.included, excluded: fitting.excluded.length } : {};

/** Returns JSON lists of what the events' rows contain, each small enough for one D1 value. */
function payloadLists(events: readonly NewEvent[]): string[] {
  const lists: string[][] = [];
  let room = 0;
  for (const {
    id,
    type,
    idempotencyKey: key,
    payload,
    bytes,
    correlationId,
    orderKey = null,
    hops = 0,
    fitting,
  } of events) {
    const order = orderKey === null ? {} : { orderKey };
    const filtered = fitting && fitting.excluded.length > 0 ? { filtered: fitting.excluded } : {};
    const entry = JSON.stringify({
      id,
      type,
      key,
      ...payload,
      bytes,
      correlationId,
      ...order,
      ...(hops === 0 ? {} : { hops }),
      ...fittingOf(fitting),
      ...filtered,
    });
    if (lists.length === 0 || entry.length > room) {
      lists.push([]);
      room = MAX_PAYLOAD_LIST_CHARACTERS;
    }
    lists.at(-1)?.push(entry);
    room -= entry.length;
  }
  return lists.map((entries) => `[${entries.join(",")}]`);
}
