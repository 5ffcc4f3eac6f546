/** One call as the signed-in user or API key. A 401 renews the access token and sends the request once more. */
import { PosternError } from "./errors";
import type { Renew } from "./renewal";
import { type Envelope, explain, type Outgoing, type Send } from "./send";

/** What every method takes as its last argument. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long the whole call may take, including a renewal of the token; `ClientOptions.timeoutMs` unless given. */
  timeoutMs?: number | undefined;
}

interface Request extends CallOptions {
  body?: unknown;
  /** A body of a JSON value a line, in place of `body`. */
  ndjson?: string | undefined;
  idempotencyKey?: string | undefined;
  /** "nobody" sends no credential. */
  as?: "caller" | "nobody";
  /** Whether the browser sends and keeps cookies of the service, even from a page of another origin. */
  cookies?: boolean;
  /** Whether the answer is a file, whose text is the data. */
  isFile?: boolean;
}

/**
 * Sends a request to a route, `METHOD /path` under `/api/v1`, and returns a part of the answer. Throws as `Send` does.
 */
export interface Call {
  /** The resource. */
  data<T>(route: string, request?: Request): Promise<T>;
  /** The sentence for people. */
  message(route: string, request?: Request): Promise<string>;
  /** The whole envelope. */
  answer<T extends Envelope>(route: string, request?: Request): Promise<T>;
}

interface Parts {
  send: Send;
  renew: Renew;
  /** The API key or the current access token. */
  credential: () => Promise<string | undefined>;
  /** False for an API key. */
  renewable: boolean;
  timeoutMs: number;
  /** Of the service. */
  baseUrl: string;
}

export function createCall(parts: Parts): Call {
  const envelope = async (route: string, request: Request = {}): Promise<Envelope> => {
    const [method = "", path = ""] = route.split(" ");
    const { as = "caller", signal: given, timeoutMs = parts.timeoutMs, ...rest } = request;
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = given ? AbortSignal.any([given, limit]) : limit;
    const outgoing: Outgoing = { method, path, signal, ...rest };
    if (as === "nobody") return parts.send(outgoing);
    const credential = await parts.credential();
    try {
      return await parts.send({ ...outgoing, credential });
    } catch (error) {
      if (!credential || !parts.renewable || !isUnauthenticated(error)) throw error;
      const renewed = await untilAborted(parts.renew(credential), signal, parts.baseUrl);
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

/** Ends this caller's wait when `signal` aborts; the renewal continues for other callers. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal, baseUrl: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(explain(signal.reason, signal, baseUrl));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, (error: unknown) => reject(explain(error, signal, baseUrl)));
  });
}
