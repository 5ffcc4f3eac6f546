/** What must hold when a schedule is over, read from the rows and from what the receiver got. */
import { CONNECTION_FAILED, wasSent } from "../../../src/webhooks/plane/reasons";
import { CLAIM_LEASE_MS, RECORD_WITHIN_MS } from "../../../src/webhooks/plane/timing";
import type { Sent } from "./bindings";
import type { Faults } from "./faults";

/** One subscription of a schedule, and what was done to it. */
export interface Subscriber {
  id: string;
  url: string;
  isPaused: boolean;
  isDeleted: boolean;
  /** Its failed deliveries may have been opened again. */
  isReopened: boolean;
}

/** An event that a client published, by its payload. */
export interface Publication {
  payload: string;
  /** The id in the response; null if none has come, so that the event may or may not have been accepted. */
  acceptedId: string | null;
  subscribers: readonly Subscriber[];
}

interface AttemptRow {
  id: string;
  subscription_id: string;
  delivery_id: string | null;
  event_id: string;
  kind: string;
  status: "pending" | "success" | "failed" | "moved";
  response_code: number | null;
  error: string | null;
  attempt_count: number;
  attempted_at: number;
  completed_at: number | null;
  next_id: string | null;
}

const MAX_ATTEMPTS = 3;

/** What a tenant has in the delivery database. */
export interface Rows {
  events: { id: string; type: string; payload: string; delivery_count: number; fan_out_after: string | null }[];
  outbox: { id: string; due_at: number; queue: string; attempts: number; interruptions: number }[];
  attempts: AttemptRow[];
  hours: { subscription_id: string; succeeded: number; failed: number }[];
  retries: { subscription_id: string; event_id: string; delivery_id: string; state: string }[];
}

/** The rows of a tenant. */
export async function readRows(database: D1Database, tenantId: string): Promise<Rows> {
  const own = "(SELECT id FROM subscriptions WHERE tenant_id = ?1)";
  const [events, outbox, attempts, hours, retries] = await database.batch(
    [
      "SELECT id, type, payload, delivery_count, fan_out_after FROM events WHERE tenant_id = ?1",
      "SELECT id, due_at, queue, attempts, interruptions FROM outbox WHERE tenant_id = ?1",
      `SELECT * FROM attempts WHERE subscription_id IN ${own} ORDER BY attempted_at, id`,
      `SELECT subscription_id, sum(succeeded) AS succeeded, sum(failed) AS failed FROM hourly_stats
        WHERE subscription_id IN ${own} GROUP BY 1`,
      `SELECT * FROM manual_retries WHERE subscription_id IN ${own}`,
    ].map((query) => database.prepare(query).bind(tenantId)),
  );
  const list = (result: D1Result | undefined) => result?.results ?? [];
  return {
    events: list(events),
    outbox: list(outbox),
    attempts: list(attempts),
    hours: list(hours),
    retries: list(retries),
  } as unknown as Rows;
}

/** Whether a delivery is still to be made or to be sent. */
export const isOwed = ({ outbox, events }: Rows): boolean =>
  outbox.length > 0 || events.some((event) => event.fan_out_after !== null);

/** Everything that is wrong. */
export function violations(
  rows: Rows,
  subscribers: readonly Subscriber[],
  publications: readonly Publication[],
  sent: readonly Sent[],
  faults: Faults,
): string[] {
  const deliveries = Map.groupBy(
    rows.attempts.filter(({ status }) => status !== "moved"),
    (row) => row.delivery_id ?? row.id,
  );
  return [
    ...rows.outbox.map(({ id }) => `still owed: ${id}`),
    ...rows.events.flatMap((event) => (event.fan_out_after === null ? [] : [`fan-out not done: ${event.id}`])),
    ...publications.flatMap((publication) => missing(publication, rows, deliveries)),
    ...[...deliveries].flatMap(([id, attempts]) => {
      const subscriber = subscribers.find((one) => one.id === attempts[0]?.subscription_id);
      const ofDelivery = sent.filter(({ deliveryId }) => deliveryId === id);
      return [
        ...wronglyEnded(id, attempts, subscriber),
        ...wronglyCounted(id, attempts, subscriber),
        ...wronglyChained(id, attempts, rows.attempts),
        ...wronglySent(id, attempts, ofDelivery, faults),
      ];
    }),
    // A request that the runtime itself has failed leaves no attempt, if its subscription is deleted before the next.
    ...sent
      .filter((one) => !deliveries.has(one.deliveryId) && !hasRuntimeFailed(one))
      .map((one) => `sent unasked: ${one.deliveryId}`),
    ...subscribers.flatMap(({ id }) => wrongStatistics(id, rows)),
    // A deleted subscription ends its deliveries without a result, and nobody can ask for its retries any more.
    ...rows.retries
      .filter((retry) => subscribers.some(({ id, isDeleted }) => id === retry.subscription_id && !isDeleted))
      .flatMap((retry) => wrongRetry(retry, deliveries)),
  ];
}

const hasRuntimeFailed = ({ error }: Sent): boolean =>
  error instanceof Error && error.message.startsWith("internal error");

/** No accepted event is lost: it is stored once, with a delivery for each subscription that wanted it. */
function missing(
  { payload, acceptedId, subscribers }: Publication,
  { events }: Rows,
  deliveries: Map<string, AttemptRow[]>,
): string[] {
  const found = events.filter((event) => event.payload === payload);
  if (found.length > 1) return [`published ${found.length} times: ${payload}`];
  const [event] = found;
  if (!event) return acceptedId === null ? [] : [`accepted and gone: ${payload}`];
  if (acceptedId !== null && event.id !== acceptedId) return [`accepted as ${acceptedId}, stored as ${event.id}`];
  return subscribers
    .filter(({ isPaused, isDeleted }) => !isPaused && !isDeleted)
    .map(({ id }) => `${event.id.slice(0, 23)}-${id.slice(24)}`)
    .filter((id) => !deliveries.has(id))
    .map((id) => `no attempt of ${id}`);
}

const counted = (attempts: readonly AttemptRow[]) => attempts.filter(({ error }) => error !== "interrupted");

/** A delivery ends with a success, or after three attempts that the subscriber is to blame for. */
function wronglyEnded(id: string, attempts: readonly AttemptRow[], subscriber: Subscriber | undefined): string[] {
  if (attempts.some(({ status }) => status === "pending")) return [`pending for ever: ${id}`];
  if (subscriber?.isDeleted) return [];
  const last = counted(attempts).at(-1);
  const successes = attempts.filter(({ status }) => status === "success").length;
  if (attempts.some(({ error }) => error === CONNECTION_FAILED))
    return [`a fault of the runtime used up an attempt: ${id}`];
  if (successes > 1) return [`recorded ${successes} successes: ${id}`];
  if (last?.status === "success" || last?.attempt_count === MAX_ATTEMPTS) return [];
  return [`given up after ${counted(attempts).length} attempts: ${id}`];
}

/** Attempts count 1, 2, 3; an interrupted one has the number of the next. */
function wronglyCounted(id: string, attempts: readonly AttemptRow[], subscriber: Subscriber | undefined): string[] {
  let ended = 0;
  return attempts.flatMap(({ attempt_count: count, error, status }) => {
    const isReopened = subscriber?.isReopened && ended === MAX_ATTEMPTS;
    if (isReopened) ended = 0;
    const wanted = ended + 1;
    if (error !== "interrupted") ended = status === "success" ? 0 : wanted;
    return count === wanted ? [] : [`attempt ${count} of ${id} should be ${wanted}`];
  });
}

/** Each attempt names the next, from the delivery's own id to the last one. */
function wronglyChained(id: string, attempts: readonly AttemptRow[], all: readonly AttemptRow[]): string[] {
  const [first] = attempts;
  const chain: AttemptRow[] = [];
  let nextId: string | null = id;
  while (nextId !== null && chain.length <= all.length) {
    const row: AttemptRow | undefined = all.find(
      (one) => one.id === nextId && one.subscription_id === first?.subscription_id,
    );
    if (!row) break;
    chain.push(row);
    nextId = row.next_id;
  }
  const found = chain.filter(({ status }) => status !== "moved").length;
  return found === attempts.length ? [] : [`the chain of ${id} has ${found} of ${attempts.length} attempts`];
}

/**
 * Each request belongs to a recorded attempt. Exceptions: its consumer was killed after the request had begun, or the
 * database was down for longer than a record is tried. Nothing is sent after a success.
 */
function wronglySent(id: string, attempts: readonly AttemptRow[], sent: readonly Sent[], faults: Faults): string[] {
  const recorded = attempts.filter(({ error, attempt_count: count }) => wasSent(error) && count > 0).length;
  // The engine repeats a request within its attempt when the runtime itself fails.
  const begun = sent.filter((one) => !hasRuntimeFailed(one));
  const retriedWithin = sent.length - begun.length;
  const unrecorded = sent.length - recorded;
  const excused = sent.filter(
    ({ invocation, atMs }) =>
      invocation?.isDead || faults.wasDownLong(atMs, atMs + CLAIM_LEASE_MS, RECORD_WITHIN_MS - 500),
  ).length;
  const success = attempts.find(({ status }) => status === "success");
  const late = sent.filter(({ atMs }) => success?.completed_at != null && atMs > success.completed_at);
  return [
    ...(unrecorded > excused + retriedWithin || unrecorded < 0
      ? [`${sent.length} requests of ${id}, ${recorded} recorded, ${excused + retriedWithin} excused`]
      : []),
    ...(late.length > 0 && success?.kind === "event" ? [`sent after its success: ${id}`] : []),
  ];
}

function wrongStatistics(id: string, { attempts, hours }: Rows): string[] {
  const own = attempts.filter((row) => row.subscription_id === id);
  const hour = hours.find((row) => row.subscription_id === id) ?? { succeeded: 0, failed: 0 };
  return (["success", "failed"] as const).flatMap((status) => {
    const rows = own.filter((row) => row.status === status).length;
    const counts = status === "success" ? hour.succeeded : hour.failed;
    return rows === counts ? [] : [`${id}: ${rows} rows of ${status}, ${counts} counted`];
  });
}

function wrongRetry(retry: Rows["retries"][number], deliveries: Map<string, AttemptRow[]>): string[] {
  const last = deliveries.get(retry.delivery_id)?.at(-1);
  return last?.status === retry.state
    ? []
    : [`retry ${retry.delivery_id} is ${retry.state}, its attempt ${last?.status}`];
}
