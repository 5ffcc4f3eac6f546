/** What an operation costs D1: round trips, and rows written, indexes included, as D1 bills them. */
import { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src";
import { createDeps } from "../../src/base/deps";
import { DAY_MS } from "../../src/base/time";
import { consume } from "../../src/queue";
import { memory } from "../../src/webhooks/delivery/isolate-memory";
import { removeOldAttempts, removeOldEvents, removeOldHours } from "../../src/webhooks/retention/remove";
import { maintain } from "./upkeep";

interface Cost {
  trips: number;
  rowsWritten: number;
}

/** How many rows the calls of all counted databases have read, as D1 bills them. A test sets it to 0. */
export const rowsRead = { count: 0 };

type Wrapped = D1PreparedStatement & { inner?: D1PreparedStatement };

/** An environment whose D1 calls are counted. */
export function countedEnv(): { counted: typeof env; cost: Cost } {
  const cost: Cost = { trips: 0, rowsWritten: 0 };
  return { counted: { ...env, DB: countInto(cost, env.DB), SHARD_1: countInto(cost, env.SHARD_1) }, cost };
}

/** D1 with its calls added to `cost`: a batch is one trip, and so is a statement that runs alone. */
function countInto(cost: Cost, database: D1Database): D1Database {
  const add = <T>(result: D1Result<T>): D1Result<T> => {
    cost.rowsWritten += result.meta.rows_written;
    rowsRead.count += result.meta.rows_read;
    return result;
  };
  const wrap = (query: string, inner: D1PreparedStatement): Wrapped => {
    const all = async () => {
      cost.trips += 1;
      return add(await inner.all<Record<string, unknown>>());
    };
    const raw = async () => {
      // Reports no cost, but keeps columns of the same name apart, which reads need.
      if (!/^\s*select/i.test(query)) return (await all()).results.map(Object.values);
      cost.trips += 1;
      return inner.raw();
    };
    return { inner, bind: (...values) => wrap(query, inner.bind(...values)), all, run: all, raw } as Wrapped;
  };
  const proxy = {
    prepare: (query: string) => wrap(query, database.prepare(query)),
    batch: async (statements: Wrapped[]) => {
      cost.trips += 1;
      return (await database.batch(statements.map((statement) => statement.inner ?? statement))).map(add);
    },
  };
  return proxy as unknown as D1Database;
}

/** Counted D1, and delivery queues that keep their messages for the test to hand over. */
function heldEnv() {
  const { counted, cost } = countedEnv();
  const messages: unknown[] = [];
  const held = new Proxy(env.DELIVERY_QUEUE, {
    get: (queue, name) =>
      name === "sendBatch"
        ? async (batch: Iterable<MessageSendRequest>) => void messages.push(...Array.from(batch, ({ body }) => body))
        : Reflect.get(queue, name),
  });
  return { counted: { ...counted, DELIVERY_QUEUE: held, SLOW_DELIVERY_QUEUE: held }, cost, messages };
}

interface CostlyRequest {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/**
 * Sends a request and waits for everything it started. Work after the response counts too; what queues do later does
 * not.
 */
export async function costOf(method: string, path: string, request: CostlyRequest = {}) {
  const { counted, cost } = countedEnv();
  return { ...(await fetchWith(counted, method, path, request)), ...cost };
}

/** Like `costOf`, and also returns the delivery messages that were sent, which reach no consumer. */
export async function costAndMessagesOf(method: string, path: string, request: CostlyRequest = {}) {
  const { counted, cost, messages } = heldEnv();
  return { ...(await fetchWith(counted, method, path, request)), ...cost, messages };
}

/**
 * Reads the signers of tokens. Each minute, whichever request comes first does that: a test that counts trips calls
 * this first.
 */
export async function readSigners(): Promise<void> {
  const { signers } = await createDeps(env, createExecutionContext());
  // One that nobody knows is looked for in the database, unless that was read within a second.
  await signers.accepts({ kid: "unknown", alg: "EdDSA", issuer: "" });
}

async function fetchWith(counted: typeof env, method: string, path: string, request: CostlyRequest) {
  const { token, body, headers: given } = request;
  await readSigners();
  const context = createExecutionContext();
  const headers = {
    "content-type": "application/json",
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...given,
  };
  const sent = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test/api/v1${path}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const response = await worker.fetch(sent, counted, context);
  const { status } = response;
  await response.text();
  await waitOnExecutionContext(context);
  return { status };
}

/** Removes all events, attempts and hours, as the upkeep does when they are old. */
export async function costOfRetention(): Promise<Cost> {
  const { counted, cost } = countedEnv();
  const deps = await createDeps(counted, createExecutionContext());
  const later = { ...deps, now: () => Date.now() + (deps.config.retentionDays + 1) * DAY_MS };
  for (const work of [removeOldAttempts, removeOldEvents, removeOldHours]) await maintain(later, work);
  return cost;
}

/**
 * Hands one batch to the consumer and waits for everything it started. Messages that it sends reach no consumer. How
 * slow the machine was before does not count: the isolate forgets it, because it makes claims smaller.
 */
export async function costOfBatch(bodies: readonly unknown[], queue = "postern-deliveries"): Promise<Cost> {
  memory.clear();
  const { counted, cost } = heldEnv();
  const context = createExecutionContext();
  const messages = bodies.map((body, index) => ({ id: `m${index}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch(queue, messages);
  await consume(await createDeps(counted, context), batch);
  await getQueueResult(batch, context);
  return cost;
}
