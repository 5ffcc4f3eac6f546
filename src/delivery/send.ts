/** One POST: bounded in time and bytes, redirects not followed, every end a value. */

import { signBody, signStandard } from "../crypto/webhook-signature";
import { TIMED_OUT } from "./reasons";
import { SEND_TIMEOUT_MS } from "./timing";

const MAX_BODY_BYTES = 16 * 1024;
const USER_AGENT = "Postern-Webhooks/1";

export interface Outbound {
  deliveryId: string;
  url: string;
  secret: string;
  eventType: string;
  /** The exact body. */
  payload: string;
  /** Sent when not null, even when empty: a manual retry's is empty. */
  correlationId: string | null;
}

/** What a delivery sends as `X-Correlation-Id`: a manual retry's is empty, whatever its event's was (specification, retry). */
export const correlationOf = (kind: "event" | "retry" | "test", ofEvent: string | null) =>
  kind === "retry" ? "" : ofEvent;

/** How an attempt ended: with an answer, or with the reason why there is none. */
export interface Outcome {
  status: "success" | "failed";
  responseCode: number | null;
  responseBody: string | null;
  error: string | null;
  /** The subscriber answered, with whatever status. */
  wasAnswered: boolean;
  timedOut: boolean;
}

/** An attempt that got no answer. */
export const failure = (error: string): Outcome => ({
  status: "failed",
  responseCode: null,
  responseBody: null,
  error,
  wasAnswered: false,
  timedOut: error === TIMED_OUT,
});

/** Sends one attempt. Throws only when the request cannot be made. */
export async function send(outbound: Outbound, nowMs: number): Promise<Outcome> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), SEND_TIMEOUT_MS);
  try {
    const response = await post(outbound.url, {
      headers: await headersOf(outbound, nowMs),
      body: outbound.payload,
      signal: deadline.signal,
    });
    const responseBody = await readBody(response);
    const ok = response.status >= 200 && response.status < 300;
    return {
      status: ok ? "success" : "failed",
      responseCode: response.status,
      responseBody,
      error: ok ? null : `status ${response.status}`,
      wasAnswered: true,
      timedOut: false,
    };
  } catch (error) {
    return failure(deadline.signal.aborted ? TIMED_OUT : connectionError(error));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The runtime reports its own passing faults as "internal error". They are not the subscriber's, so the request is made once more within
 * the attempt. An unknown host is reported the same way, locally; it fails the second time too.
 */
async function post(url: string, init: RequestInit): Promise<Response> {
  const request = { ...init, method: "POST", redirect: "manual" } as const;
  try {
    return await fetch(url, request);
  } catch (error) {
    const isOurs = error instanceof Error && error.message.startsWith("internal error") && !init.signal?.aborted;
    if (!isOurs) throw error;
    return fetch(url, request);
  }
}

/** The headers of an attempt that starts at `startedMs`: the same each time they are asked for. */
export async function headersOf(outbound: Omit<Outbound, "url">, startedMs: number): Promise<Record<string, string>> {
  const { deliveryId, secret, payload, correlationId } = outbound;
  const timestampSeconds = Math.floor(startedMs / 1000);
  return {
    "Content-Type": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": USER_AGENT,
    "X-Webhook-Event": outbound.eventType,
    "X-Webhook-Signature": await signBody(secret, payload),
    "webhook-id": deliveryId,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": await signStandard(secret, deliveryId, timestampSeconds, payload),
    ...(correlationId === null ? {} : { "X-Correlation-Id": correlationId }),
  };
}

/** The first 16 KiB of the decoded body; what is late or beyond is cancelled, and what came still counts. */
async function readBody(response: Response): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    while (length < MAX_BODY_BYTES) {
      const { done, value } = await reader.read();
      if (done) return textOf(parts);
      parts.push(value.subarray(0, MAX_BODY_BYTES - length));
      length += value.length;
    }
  } catch {
    // The deadline came or the connection broke after the headers: the status stands, with the part of the body that came.
  }
  reader.cancel().catch(() => undefined);
  return textOf(parts);
}

/** A character that is cut off at the end is left out. */
function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("");
}

/** workerd tells a connection that was refused, reset or cut from one that could not begin: no such host, no TLS. */
function connectionError(error: unknown): string {
  const lost = error instanceof Error && error.message === "Network connection lost.";
  return lost ? "connection refused or lost" : "connection failed: unknown host or no TLS";
}
