/**
 * The statements that accept events. Their texts are built once for each size of batch, because building them takes
 * about as long as running them.
 */

import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { BoundedMap } from "../../base/bounded-map";
import { fixed } from "../../base/db/client";
import { longTextOf } from "../../base/db/stored-text";
import { refuseDeparted } from "../../tenancy/moves/fence-store";
import { receiversOf, revisionOf } from "../event-types/rules-store";
import type { DueDelivery } from "../plane/enqueue";
import { FAN_OUT_PAGE, insertFanOut, MOST_AT_ONCE } from "../plane/fan-out-store";
import { KEY_COLUMNS, KEY_COLUMNS_OF_O, MAIN } from "../plane/outbox-store";
import { isSlowAt, RECEIVES_EVENTS } from "../plane/predicates-store";
import { insertEntries } from "./entries-store";
import type { Fitting } from "./fitting";
import { countsOf, NOTHING, plainOf, RECEIVERS, receiving, TENANT_ID, WANTED_COUNT } from "./receivers-store";
import { countedAgain, justWritten, writtenWithin } from "./written-deliveries-store";

export interface AcceptedEvent {
  /** Null when nothing was written, because of a conflict or because the events need more deliveries than allowed. */
  id: string | null;
  type: string;
  deliveries: number;
  /** The hash of the event that was first published with this Idempotency-Key; null without a key. */
  requestHash: string | null;
  /**
   * The last subscription that has its delivery if the fan-out continues through the queue; null when all deliveries
   * exist.
   */
  fanOutAfter: string | null;
  /** Its number within its order key; null or missing without one. */
  sequence?: number | null;
  /** How many subscriptions did not receive it because of their filters; 0 or missing for none. */
  filtered?: number;
}

/** An event that the call has written. */
type InsertedEvent = Omit<AcceptedEvent, "id" | "requestHash"> & { id: string };

const NOW = sql.placeholder("nowMs");
/** Idempotency keys that were created after this time are in force. */
const KEYS_FROM = sql.placeholder("keysFromMs");
const ALLOWED = sql.placeholder("allowedDeliveries");

/** What events get of filters: the subscriptions with a filter that receive one, and how many do not. */
const FITTING = sql`, value -> 'included' AS included, coalesce(value ->> 'excluded', 0) AS excluded`;

const listedWith = (
  columns: SQL,
) => sql`listed AS (SELECT key AS position, value ->> 'id' AS id, value ->> 'type' AS type,
    value ->> 'bytes' AS bytes, value ->> 'key' AS idempotency_key, value ->> 'hash' AS hash,
    value ->> 'orderKey' AS order_key${columns}
  FROM json_each(${sql.placeholder("list")}))`;
const LISTED = listedWith(NOTHING);

/**
 * Whether the events may be written: the budget allows them, unless that is asked later, and neither the rules nor who
 * receives events by a filter have changed since they were read.
 */
const fits = (isWithin: SQL | null, isGuarded: boolean, isFiltered: boolean): SQL =>
  sql.join(
    [
      isWithin ?? sql.raw("true"),
      ...(isGuarded ? [sql`${RULES_REVISION} = ${sql.placeholder("rulesRevision")}`] : []),
      ...(isFiltered ? [sql`${receiversOf(TENANT_ID)} = ${RECEIVERS}`] : []),
    ],
    sql` AND `,
  );
const RULES_REVISION = sql`(${revisionOf(TENANT_ID)})`;
// An event that already exists was written by an earlier try of this call, and its deliveries may have ended since
// then.
const IS_ABSENT = sql`NOT EXISTS (SELECT 1 FROM events WHERE events.id = e.id)`;

interface Variant {
  /** Whether an event has an Idempotency-Key. */
  hasKeys: boolean;
  /** Whether an event has an order key. */
  isOrdered: boolean;
  /** Whether an event type has a dot. */
  hasDots: boolean;
  /** Whether the tenant has rules for what it publishes. */
  isGuarded: boolean;
  /** Whether subscriptions with a filter list the type of an event. */
  isFiltered: boolean;
  /** Whether the statement of its deliveries is the last one before that of the only event, which then counts them. */
  isAlone: boolean;
  /** Whether the only event is expected to have few deliveries: they are not counted before they are written. */
  isExpected: boolean;
  /** The most deliveries with which an event gets them at once. */
  mostAtOnce: number;
}

/** The key `k` of the listed event `l`, if it is in force. */
const KEY_OF = sql`idempotency_keys k ON k.tenant_id = ${TENANT_ID} AND k.key = l.idempotency_key
  AND k.created_at > ${KEYS_FROM}`;
const NO_CONFLICT = sql`NOT EXISTS (SELECT 1 FROM listed l CROSS JOIN ${KEY_OF} WHERE k.request_hash <> l.hash)`;
const HOLDS_ITS_KEY = sql`(e.idempotency_key IS NULL OR EXISTS (SELECT 1 FROM idempotency_keys k
  WHERE k.tenant_id = ${TENANT_ID} AND k.key = e.idempotency_key AND k.event_id = e.id))`;

const DUE = fixed<DueDelivery>(sql`WITH ${LISTED} SELECT ${KEY_COLUMNS_OF_O}, ${isSlowAt(sql`${NOW}`)} AS slow
  FROM listed e CROSS JOIN outbox o ON o.queue = ${MAIN} AND o.due_at = ${NOW}
    AND o.id > substr(e.id, 1, 23) || '-' AND o.id < substr(e.id, 1, 23) || '.' AND o.event_id = e.id
  CROSS JOIN subscriptions s ON s.id = o.subscription_id`);

/** What several statements of a variant have in common. */
function partsOf(variant: Variant) {
  const { hasKeys, hasDots, isGuarded, isFiltered, isAlone, isExpected, mostAtOnce } = variant;
  const filter = filterParts(isGuarded, isFiltered, hasDots);
  const within = (allowed: SQL | Placeholder) =>
    fits(isExpected ? null : sql`${filter.wanted} <= ${allowed}`, isGuarded, isFiltered);
  const isAllowed = within(ALLOWED);
  // As a parameter, a limit would make SQLite plan the statement again for every call.
  const limit = sql.raw(String(mostAtOnce));
  // For a single event, one sum tells both: whether it is allowed, and whether it is narrow. Each read of it counts.
  const most = sql`min(${ALLOWED}, ${limit})`;
  const isNarrow = isAlone
    ? { counts: NOTHING, isAllowed: within(most) }
    : { counts: sql` CROSS JOIN counts ON counts.type = e.type AND ${filter.deliveries} <= ${limit}`, isAllowed };
  const ofLast = isExpected ? writtenWithin(most, isAllowed) : justWritten(isAllowed);
  return {
    ...{ filter, isAllowed, limit, isNarrow },
    counted: sql`${filter.listed}, ${countsOf(hasDots)}${filter.table}`,
    isNew: hasKeys ? sql`${HOLDS_ITS_KEY} AND ${NO_CONFLICT} AND ${IS_ABSENT}` : IS_ABSENT,
    written: isAlone ? ofLast : countedAgain(filter.deliveries, isAllowed),
  };
}

function makeStatements(variant: Variant) {
  const { isOrdered, hasDots, isExpected } = variant;
  const { filter, isAllowed, limit, isNarrow, counted, isNew, written } = partsOf(variant);
  const { deliveries, isWritten, counts } = written;
  const given = isExpected ? LISTED : counted;
  const order = orderColumns(isOrdered, isNew);
  return {
    unmoved: fixed(refuseDeparted(TENANT_ID)),
    keys: fixed(sql`WITH ${given} INSERT INTO idempotency_keys (tenant_id, key, event_id, request_hash,
      created_at)
      SELECT ${TENANT_ID}, e.idempotency_key, e.id, e.hash, ${NOW} FROM listed e WHERE e.idempotency_key IS NOT NULL
        AND ${NO_CONFLICT} AND ${isAllowed}
      ON CONFLICT (tenant_id, key) DO UPDATE SET event_id = excluded.event_id, request_hash = excluded.request_hash,
        created_at = excluded.created_at WHERE idempotency_keys.created_at <= ${KEYS_FROM}`),
    outbox: fixed<DueDelivery>(
      sql`WITH ${given} ${insertFanOut(
        NOW,
        sql`FROM listed e${isNarrow.counts} CROSS JOIN ${filter.page ?? receiving(hasDots)}
      WHERE ${isNarrow.isAllowed} AND ${isNew} AND ${RECEIVES_EVENTS} AND s.is_deleted = 0${
        isExpected ? sql` LIMIT ${limit} + 1` : NOTHING
      }`,
      )} RETURNING ${KEY_COLUMNS},
        EXISTS (SELECT 1 FROM subscriptions s INDEXED BY subscriptions_slow WHERE s.id = subscription_id
          AND s.slow_until > 0 AND ${isSlowAt(sql`${NOW}`)}) AS slow`,
    ),
    // Before the events, too: it counts the new ones. One row for each key, however many events have it.
    numbers: fixed(sql`WITH ${given} INSERT INTO order_sequences (tenant_id, key, last, used_at)
      SELECT ${TENANT_ID}, e.order_key, count(*), ${NOW} FROM listed e WHERE e.order_key IS NOT NULL AND ${isAllowed}
        AND ${isNew} GROUP BY e.order_key
      ON CONFLICT (tenant_id, key) DO UPDATE SET last = last + excluded.last, used_at = excluded.used_at`),
    // Before the events, too.
    entries: fixed(sql`WITH ${given} ${insertEntries(TENANT_ID, NOW, sql`${isAllowed} AND ${isNew}`)}`),
    events: fixed<InsertedEvent>(sql`WITH ${given}
      INSERT INTO events (id, tenant_id, type, payload, correlation_id, delivery_count, fan_out_after, created_at,
        long_bytes, long_payload, hops${order.names}${filter.names})
      SELECT e.id, ${TENANT_ID}, e.type, coalesce(e.value ->> 'short', 'null'), e.value ->> 'correlationId',
        ${deliveries},
        iif(${deliveries} > ${limit}, '', NULL), ${NOW},
        iif(e.value ->> 'short' IS NULL, e.value ->> 'bytes', NULL),
          ${longTextOf(sql`e.value`)}, e.value ->> 'hops'${order.values}${filter.values}
      FROM (SELECT value ->> 'id' AS id, value ->> 'type' AS type, value ->> 'key' AS idempotency_key,
        value${filter.columns}
        FROM json_each(${sql.placeholder("part")})) e${counts}
      WHERE ${isWritten} AND ${isNew}
      RETURNING id, type, delivery_count AS deliveries, fan_out_after
        AS fanOutAfter${order.returned}${filter.returned}`),
    ...readStatements(counted, filter, variant, sql`${order.read}${filter.read}`),
  };
}

/** What is read unless all events were written. */
function readStatements(
  given: SQL,
  { wanted }: Pick<ReturnType<typeof filterParts>, "wanted">,
  { hasKeys, isGuarded, isFiltered }: Variant,
  columns: SQL,
) {
  return {
    accepted: fixed<AcceptedEvent>(acceptedEvents(hasKeys, columns)),
    count: fixed<{ deliveries: number }>(sql`WITH ${given}
      SELECT iif(EXISTS (SELECT 1 FROM listed e WHERE ${IS_ABSENT}), ${wanted}, 0) AS deliveries`),
    revision: isGuarded
      ? fixed<{ revision: string; receivers: string }>(sql`SELECT ${RULES_REVISION} AS revision,
          ${isFiltered ? receiversOf(TENANT_ID) : sql.raw("''")} AS receivers`)
      : undefined,
    // Only needed after a fault, when an earlier try has written the outbox.
    due: DUE,
  };
}

/** Selects the listed events as they are stored: for a key, the event that was first published with it. */
const acceptedEvents = (hasKeys: boolean, columns: SQL) =>
  hasKeys
    ? sql`WITH ${LISTED} SELECT e.id, e.type, e.delivery_count AS deliveries, k.request_hash AS requestHash,
        iif(e.id = l.id, e.fan_out_after, NULL) AS fanOutAfter${columns}
      FROM listed l LEFT JOIN ${KEY_OF} LEFT JOIN events e ON e.id = coalesce(k.event_id, l.id) ORDER BY l.position`
    : sql`WITH ${LISTED} SELECT e.id, e.type, e.delivery_count AS deliveries, NULL AS requestHash,
        e.fan_out_after AS fanOutAfter${columns}
      FROM listed l LEFT JOIN events e ON e.id = l.id ORDER BY l.position`;

/** What filters add to the statements; nothing for a tenant without rules. */
function filterParts(isGuarded: boolean, isFiltered: boolean, hasDots: boolean) {
  const parts = {
    listed: LISTED,
    table: NOTHING,
    page: undefined,
    columns: NOTHING,
    names: NOTHING,
    values: NOTHING,
    returned: NOTHING,
    deliveries: sql.raw("counts.deliveries"),
    read: isGuarded ? sql`, coalesce(json_array_length(e.filtered), 0) AS filtered` : NOTHING,
    wanted: WANTED_COUNT,
  };
  if (!isFiltered) return parts;
  return {
    ...parts,
    listed: listedWith(FITTING),
    table: plainOf(hasDots),
    page: sql`subscriptions s ON s.id IN (SELECT plain.subscription_id FROM plain WHERE plain.type = e.type
      UNION ALL SELECT value FROM json_each(e.included))`,
    columns: FITTING,
    names: sql`, filtered`,
    values: sql`, e.value ->> 'filtered'`,
    returned: sql`, coalesce(json_array_length(filtered), 0) AS filtered`,
    deliveries: sql`(counts.deliveries - e.excluded)`,
    wanted: sql`(${WANTED_COUNT} - (SELECT sum(excluded) FROM listed))`,
  };
}

/** What the columns of ordered events add to the statements; nothing if no event has an order key. */
function orderColumns(isOrdered: boolean, isNew: SQL) {
  if (!isOrdered) return { names: NOTHING, values: NOTHING, returned: NOTHING, read: NOTHING };
  const key = sql`e.value ->> 'orderKey'`;
  // `numbers` has counted all new events of the key. Those at later places of the batch have the last numbers.
  const later = sql`(SELECT count(*) FROM listed e WHERE e.order_key = given.order_key AND e.position > given.position
    AND ${isNew})`;
  return {
    names: sql`, order_key, order_sequence`,
    values: sql`, ${key}, (SELECT q.last - ${later} FROM listed given JOIN order_sequences q
      ON q.tenant_id = ${TENANT_ID} AND q.key = given.order_key WHERE given.id = e.id)`,
    returned: sql`, order_sequence AS sequence`,
    read: sql`, e.order_sequence AS sequence`,
  };
}

type Statements = ReturnType<typeof makeStatements>;

/** Of the variants for batches of 1 to 100 events. */
const MAX_STATEMENTS = 190;
const known = new BoundedMap<Statements>(MAX_STATEMENTS);

type Listed = { type: string; idempotencyKey: string | null; orderKey?: string | null; fitting?: Fitting | null };

interface Manner {
  /** The events are written only at a certain revision of the tenant's rules. */
  isGuarded?: boolean;
  /** Entries of feeds are written too. */
  hasFeeds?: boolean;
  /**
   * A single event is expected to have few deliveries. If it has more, or more than are allowed, it fails the batch
   * (`hasMore`).
   */
  isExpected?: boolean;
}

/** The statements for these events. */
export function statementsFor(
  events: readonly Listed[],
  { isGuarded = false, hasFeeds = false, isExpected = false }: Manner = {},
): Statements & Pick<Variant, "hasKeys" | "isOrdered" | "isFiltered"> {
  const hasKeys = events.some(({ idempotencyKey }) => idempotencyKey !== null);
  const isOrdered = events.some(({ orderKey = null }) => orderKey !== null);
  const hasDots = events.some(({ type }) => type.includes("."));
  const isFiltered = events.some(({ fitting }) => fitting);
  const isAlone = events.length === 1 && !isOrdered && !isFiltered && !hasFeeds;
  const mostAtOnce = Math.min(MOST_AT_ONCE, Math.max(1, Math.floor(FAN_OUT_PAGE / events.length)));
  const variant = {
    ...{ hasKeys, isOrdered, hasDots, isGuarded, isFiltered, mostAtOnce },
    ...{ isAlone, isExpected: isAlone && isExpected },
  };
  const name = Object.values(variant).join(" ");
  const statements = known.get(name) ?? makeStatements(variant);
  known.set(name, statements);
  return { ...statements, hasKeys, isOrdered, isFiltered };
}
