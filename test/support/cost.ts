/** What an operation costs D1: round trips, and rows written, indexes included, as D1 bills them. */
import { createExecutionContext, createMessageBatch, getQueueResult, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src";

interface Cost {
  trips: number;
  rowsWritten: number;
}

type Wrapped = D1PreparedStatement & { inner?: D1PreparedStatement };

/** D1 with its calls counted: a batch is one trip, and so is a statement that runs alone. */
function counted(database: D1Database): { database: D1Database; cost: Cost } {
  const cost: Cost = { trips: 0, rowsWritten: 0 };
  const add = <T>(result: D1Result<T>): D1Result<T> => {
    cost.rowsWritten += result.meta.rows_written;
    return result;
  };
  const wrap = (query: string, inner: D1PreparedStatement): Wrapped => {
    const all = async () => {
      cost.trips += 1;
      return add(await inner.all<Record<string, unknown>>());
    };
    const raw = async () => {
      // Tells no cost, but keeps columns of one name apart, which reads need.
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
  return { database: proxy as unknown as D1Database, cost };
}

interface CostlyRequest {
  token?: string;
  body?: unknown;
}

/** Sends a request and waits for everything it started: the work behind the answer counts too, what queues do later does not. */
export async function costOf(method: string, path: string, { token, body }: CostlyRequest = {}) {
  const { database, cost } = counted(env.DB);
  const context = createExecutionContext();
  const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test/api/v1${path}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const response = await worker.fetch(request, { ...env, DB: database }, context);
  const { status } = response;
  await response.text();
  await waitOnExecutionContext(context);
  return { status, ...cost };
}

/** Hands one batch to the consumer and waits for everything it started. */
export async function costOfBatch(bodies: readonly unknown[], queue = "postern-deliveries"): Promise<Cost> {
  const { database, cost } = counted(env.DB);
  const context = createExecutionContext();
  const messages = bodies.map((body, index) => ({ id: `m${index}`, timestamp: new Date(), attempts: 1, body }));
  const batch = createMessageBatch(queue, messages);
  await worker.queue(batch, { ...env, DB: database }, context);
  await getQueueResult(batch, context);
  return cost;
}
