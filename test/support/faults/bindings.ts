/** The platform's bindings with faults: D1, Durable Objects, and `fetch` to the subscribers. */
import { env } from "cloudflare:workers";
import { utf8 } from "../../../src/base/crypto/encoding";
import type { Faults } from "./faults";
import { type Invocation, invocationNow } from "./invocation";

type Statement = D1PreparedStatement & { query: string; real: D1PreparedStatement };

/** A database whose calls have faults. Each call is named by the store function that makes it. */
export function faultyDatabase(database: D1Database, faults: Pick<Faults, "call">): D1Database {
  const wrap = (query: string, real: D1PreparedStatement): Statement => {
    const call = <T>(effect: () => Promise<T>) => faults.call(callerOf(query), async () => effect());
    return {
      query,
      real,
      bind: (...values: unknown[]) => wrap(query, real.bind(...values)),
      all: () => call(() => real.all()),
      run: () => call(() => real.run()),
      first: (column?: string) => call(() => (column === undefined ? real.first() : real.first(column))),
      raw: (options?: { columnNames?: false }) => call(() => real.raw(options)),
    } as unknown as Statement;
  };
  return {
    prepare: (query: string) => wrap(query, database.prepare(query)),
    batch: (statements: Statement[]) =>
      faults.call(callerOf(statements.map(({ query }) => query).join(";")), () =>
        database.batch(statements.map(({ real }) => real)),
      ),
  } as unknown as D1Database;
}

const V8Error = Error as ErrorConstructor & { stackTraceLimit: number };

/** Reading a stack is expensive, and a statement always comes from the same function. */
const callers = new Map<string, string>();

function callerOf(queries: string): string {
  const known = callers.get(queries) ?? storeFunction();
  callers.set(queries, known);
  return known;
}

/** The innermost named function of a store on the stack. */
function storeFunction(): string {
  const { stackTraceLimit } = V8Error;
  V8Error.stackTraceLimit = 50;
  const stack = new Error().stack ?? "";
  V8Error.stackTraceLimit = stackTraceLimit;
  return stack.match(/at (?:async )?(\w+) \([^)]*store\.ts/)?.[1] ?? `unnamed ${stack}`;
}

const LIMITER_ERRORS = ["internal error; reference = 0", "Durable Object reset because its code was updated."] as const;

/** Durable Objects whose methods have faults. */
function faultyObjects<T extends Rpc.DurableObjectBranded>(
  namespace: DurableObjectNamespace<T>,
  name: string,
  faults: Faults,
): DurableObjectNamespace<T> {
  const stubOf = (id: DurableObjectId) =>
    new Proxy(namespace.get(id), {
      get:
        (stub, method) =>
        (...args: unknown[]) =>
          faults.real(
            `${name}.${String(method)}`,
            () => (Reflect.get(stub, method) as (...args: unknown[]) => Promise<unknown>)(...args),
            LIMITER_ERRORS,
          ),
    });
  return { idFromName: (key: string) => namespace.idFromName(key), get: stubOf } as DurableObjectNamespace<T>;
}

/** A request that the engine has sent, whether or not it reached the receiver. */
export interface Sent {
  deliveryId: string;
  body: string;
  atMs: number;
  invocation: Invocation | undefined;
  /** Whether it reached the receiver. */
  isReceived: boolean;
  /** What `fetch` threw. */
  error?: unknown;
}

/** A subscriber with a handler of its own. It throws when it dies before its answer. */
export type Receiver = (delivery: { headers: Headers; body: string }) => Promise<Response>;

const FETCH_ERRORS = ["internal error; reference = 0", "Network connection lost."] as const;

/**
 * A `fetch` with faults that notes in `sent` what the engine sends, and answers as a subscriber would. The path is the
 * status of the answer.
 * `holdMs` keeps it back, and the first `failures` requests of each delivery get the status `failing` instead, with
 * `retryAfter`. A `receiver` answers instead, if there is one.
 */
export function faultyFetch(
  faults: Faults,
  sent: Sent[],
  wait: (ms: number) => Promise<void>,
  receiver?: Receiver,
): typeof fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    const headers = new Headers(init?.headers);
    const note: Sent = {
      deliveryId: headers.get("webhook-id") ?? "",
      body: String(init?.body),
      atMs: Date.now(),
      invocation: invocationNow(),
      isReceived: false,
    };
    sent.push(note);
    const receive = async () => {
      note.isReceived = true;
      if (receiver) return receiver({ headers, body: note.body });
      const earlier = sent.filter((one) => one.isReceived && one !== note && one.deliveryId === note.deliveryId).length;
      const isFailure = earlier < Number(url.searchParams.get("failures"));
      const status = Number(isFailure ? (url.searchParams.get("failing") ?? 500) : url.pathname.slice(1));
      const retryAfter = isFailure ? url.searchParams.get("retryAfter") : null;
      return new Response(bodyOf(`answer ${status}`), {
        status,
        headers: retryAfter === null ? {} : { "retry-after": retryAfter },
      });
    };
    const answer = async () => {
      const response = await faults.call("fetch", receive, FETCH_ERRORS);
      await wait(Number(url.searchParams.get("holdMs")));
      return response;
    };
    const signal = init?.signal;
    const close = await invocationNow()?.connect();
    try {
      return await Promise.race([answer(), abortion(signal)]);
    } catch (error) {
      note.error = error;
      throw error;
    } finally {
      close?.();
    }
  };
}

/** A body that is read in JavaScript alone, so that the clock need not wait for the platform's streams. */
function bodyOf(text: string): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(utf8(text));
      controller.close();
    },
  });
}

function abortion(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    // It may have been aborted while it waited for a connection.
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
}

/** The Worker's bindings in a schedule: one delivery database, which is also the control plane. */
export function faultyEnv(
  faults: Faults,
  database: D1Database,
  bindings: Pick<Env, "DELIVERY_QUEUE" | "SLOW_DELIVERY_QUEUE">,
): Env {
  const { SHARD_1: _, MIGRATED: __, RECEIVER_DB: ___, ...rest } = env;
  return {
    ...rest,
    ...bindings,
    DB: faultyDatabase(database, faults),
    // As in production, where an internal error never means an unknown host.
    WEBHOOK_EGRESS: "public",
    // So small that nothing is published without asking the limiter.
    RATE_LIMITS: JSON.stringify({ publish: { limit: 4_000, windowSeconds: 60 } }),
    RATE_LIMITER: faultyObjects(env.RATE_LIMITER, "RateLimiter", faults),
  } as Env;
}
