/** One request and its answer; a failure becomes a `PosternError`. */

import { PosternError } from "./errors";
import type { ErrorCode, ErrorDetail } from "./generated";
import type { HeadersForPerson } from "./on-behalf";

/** `fetch` or a replacement for it, such as the `fetch` of a service binding. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Writes and reads bodies. Its `stringify` and `parse` need to take no more arguments than a value and a text. */
export interface JsonCodec {
  stringify: (value: unknown) => string;
  parse: (text: string) => unknown;
}

export interface Outgoing {
  method: string;
  /** Under `/api/v1`. */
  path: string;
  body?: unknown;
  /** A body of a JSON value a line, in place of `body`. */
  ndjson?: string | undefined;
  /** An access token or an API key. */
  credential?: string | undefined;
  idempotencyKey?: string | undefined;
  /** Whether cookies are sent, even to another origin. */
  cookies?: boolean;
  /** Whether the answer is a file: its text is then in `data`. */
  isFile?: boolean;
  signal: AbortSignal;
}

/** The body of a success: a resource in `data`, or a sentence for people in `message`. */
export interface Envelope {
  data?: unknown;
  message?: string;
}

/** Throws a PosternError, or the signal's own reason when the caller aborted. */
export type Send = (outgoing: Outgoing) => Promise<Envelope>;

interface Failure {
  code: ErrorCode;
  message: string;
  requestId: string;
  details?: ErrorDetail[];
}

/**
 * Returns a function that sends to the service at `baseUrl`, which does not end with a slash. Requests name `tenant`,
 * but for those about the platform itself.
 */
export function createSend(
  baseUrl: string,
  fetch: Fetch,
  { tenant, forPerson, json: codec }: { tenant: string | undefined; forPerson: HeadersForPerson; json: JsonCodec },
): Send {
  return async (outgoing) => {
    const { method, body, ndjson, signal } = outgoing;
    // What has no JSON, such as a cycle, is no failure of the network.
    const json = body === undefined ? null : codec.stringify(body);
    try {
      const url = `${baseUrl}/api/v1${outgoing.path}`;
      const ofPerson = await forPerson(method, url);
      const response = await fetch(url, {
        method,
        headers: { ...headersOf(outgoing), ...tenantHeader(outgoing, tenant), ...ofPerson },
        body: ndjson ?? json,
        ...(outgoing.cookies ? { credentials: "include" } : {}),
        signal,
      });
      const text = await response.text();
      return outgoing.isFile && response.ok ? { data: text } : read(response, parsed(text, codec), baseUrl);
    } catch (error) {
      throw explain(error, outgoing.signal, baseUrl);
    }
  };
}

/** What to throw for an exception of `fetch` or an abort. */
export function explain(error: unknown, signal: AbortSignal, baseUrl: string): unknown {
  if (error instanceof PosternError) return error;
  if (!signal.aborted)
    return new PosternError({
      code: "NETWORK_ERROR",
      message: "The service could not be reached.",
      status: 0,
      cause: error,
      baseUrl,
    });
  const timedOut = signal.reason instanceof Error && signal.reason.name === "TimeoutError";
  if (!timedOut) return signal.reason;
  const message = "The service did not answer in time.";
  return new PosternError({ code: "TIMEOUT", message, status: 0, cause: error, baseUrl });
}

const tenantHeader = ({ path }: Outgoing, tenant: string | undefined): Record<string, string> =>
  tenant === undefined || path.startsWith("/platform/") ? {} : { "postern-tenant": tenant };

function headersOf({ body, ndjson, credential, idempotencyKey }: Outgoing): Record<string, string> {
  return {
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(ndjson === undefined ? {} : { "content-type": "application/x-ndjson" }),
    ...(credential ? { authorization: `Bearer ${credential}` } : {}),
    ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
  };
}

function read(response: Response, body: unknown, baseUrl: string): Envelope {
  if (response.ok && isObject(body) && ("data" in body || "message" in body)) return body;
  const { status, headers } = response;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  if (isFailure(body)) throw new PosternError({ ...body, status, retryAfterSeconds, baseUrl });
  const requestId = headers.get("x-request-id") ?? undefined;
  const message = `Status ${status}, but not an answer of the service.`;
  throw new PosternError({ code: "BAD_RESPONSE", message, status, requestId, retryAfterSeconds, baseUrl });
}

function parsed(text: string, codec: JsonCodec): unknown {
  try {
    return codec.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isFailure = (body: unknown): body is Failure => isObject(body) && typeof body.code === "string";
