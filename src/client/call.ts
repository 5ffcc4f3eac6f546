/** A call as the signed-in user or API key: a 401 renews the access token once and sends again. */
import { PosternError } from "./errors";
import type { Renew } from "./renewal";
import { type Envelope, explain, type Outgoing, type Send } from "./send";

/** What every method takes last. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** For the whole call, with a renewal of the token if there is one. */
  timeoutMs?: number | undefined;
}

interface Request extends CallOptions {
  body?: unknown;
  idempotencyKey?: string | undefined;
  /** "nobody" sends no credential; "caller once" takes a 401 as the answer. */
  as?: "caller" | "caller once" | "nobody";
}

/** Calls `METHOD /path`, the path under `/api/v1`. */
export interface Call {
  data<T>(route: string, request?: Request): Promise<T>;
  message(route: string, request?: Request): Promise<string>;
  /** The envelope whole. */
  answer<T extends Envelope>(route: string, request?: Request): Promise<T>;
}

interface Parts {
  send: Send;
  renew: Renew;
  /** The API key or the access token of the moment. */
  credential: () => Promise<string | undefined>;
  /** False for an API key. */
  renewable: boolean;
  timeoutMs: number;
}

export function createCall(parts: Parts): Call {
  const envelope = async (route: string, request: Request = {}): Promise<Envelope> => {
    const [method = "", path = ""] = route.split(" ");
    const { as = "caller", signal: given, timeoutMs = parts.timeoutMs, ...rest } = request;
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = given ? AbortSignal.any([given, limit]) : limit;
    const outgoing: Outgoing = { method, path, signal, body: rest.body, idempotencyKey: rest.idempotencyKey };
    if (as === "nobody") return parts.send(outgoing);
    const credential = await parts.credential();
    try {
      return await parts.send({ ...outgoing, credential });
    } catch (error) {
      if (!credential || !parts.renewable || as === "caller once" || !isUnauthenticated(error)) throw error;
      const renewed = await orAbort(parts.renew(credential), signal);
      if (renewed === null) throw error;
      return parts.send({ ...outgoing, credential: renewed });
    }
  };
  return {
    data: async <T>(route: string, request?: Request) => (await envelope(route, request)).data as T,
    answer: async <T extends Envelope>(route: string, request?: Request) => (await envelope(route, request)) as T,
    message: async (route, request) => (await envelope(route, request)).message ?? "",
  };
}

const isUnauthenticated = (error: unknown) => error instanceof PosternError && error.code === "UNAUTHENTICATED";

/** One caller's abort ends its own wait, not the renewal that others wait for. */
function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(explain(signal.reason, signal));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, (error: unknown) => reject(explain(error, signal)));
  });
}
