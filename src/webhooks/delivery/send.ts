/** Sends one POST, limited in time and in bytes read. Redirects are not followed. A failure is returned, not thrown. */
import { importPrivateKey, signAsymmetric } from "../../base/crypto/ed25519";
import { signBody, signStandard } from "../../base/crypto/webhook-signature";
import { type Headers, withoutValues } from "../options/header-options";
import type { SignatureProfile } from "../options/signature-profile";
import type { DeliveryKind } from "../plane/outbox-store";
import { CONNECTION_FAILED, CONNECTION_LOST, TIMED_OUT } from "../plane/reasons";
import { SEND_TIMEOUT_MS } from "../plane/timing";
import type { SigningKeys } from "../signing/keys";
import { profileHeaders } from "../signing/profiles";
import { keptHeaders } from "./answer-headers";
import type { Sent } from "./envelope";

const MAX_BODY_BYTES = 16 * 1024;
const USER_AGENT = "Postern-Webhooks/1";

/** What a request says. A header whose value is null is not sent. */
export interface Outbound extends Sent {
  deliveryId: string;
  url: string;
  keys: SigningKeys;
  eventType: string;
  /** The subscription's own headers. */
  headers: Headers;
  /** Adds signatures in the form of another provider. */
  profile?: SignatureProfile | undefined;
  /** `X-Correlation-Id` */
  correlationId: string | null;
  /** `webhook-replay` */
  replayId: string | null;
  /** `webhook-order-key` */
  orderKey?: string | null;
  /** `webhook-sequence`: the event's number within `orderKey`. */
  sequence?: number | null;
  /** Says how often its event has come back to us, where it may do so. */
  hopHeader?: Headers;
}

/** Returns what a delivery sends as `X-Correlation-Id`. The specification wants it to be empty for a manual retry. */
export const correlationOf = (kind: DeliveryKind, ofEvent: string | null) => (kind === "retry" ? "" : ofEvent);

/** How an attempt ended: with an answer, or with the reason why there was none. */
export interface SendOutcome {
  status: "success" | "failed";
  /** Null without an answer. */
  responseCode: number | null;
  responseBody: string | null;
  /** Lines of `keptHeaders`. */
  responseHeaders: string | null;
  /** Null for a success. */
  error: string | null;
  /** The header `Retry-After`, unparsed; null without it. */
  retryAfter: string | null;
  /** Whether the answer had the header `webhook-delivery: abort`. */
  asksToAbort: boolean;
}

/** The request could not be made, which uses up no attempt. It is made again after `retryInMs`; null: soon. */
export interface NotSent {
  retryInMs: number | null;
}

/** Returns the outcome of an attempt that got no answer. */
export const failure = (error: string): SendOutcome => ({
  status: "failed",
  responseCode: null,
  responseBody: null,
  responseHeaders: null,
  error,
  retryAfter: null,
  asksToAbort: false,
});

/** Returns the outcome of an attempt that was answered. `own` are the headers of its subscription. */
export function answered(
  responseCode: number,
  body: string,
  answer: Iterable<readonly [name: string, value: string]>,
  own: Headers,
): SendOutcome {
  const status = responseCode >= 200 && responseCode < 300 ? "success" : "failed";
  const headers = new Map(answer);
  return {
    status,
    responseCode,
    responseBody: withoutValues(body, own),
    responseHeaders: keptHeaders(headers, status, own),
    error: status === "success" ? null : `status ${responseCode}`,
    retryAfter: headers.get("retry-after") ?? null,
    asksToAbort: headers.get("webhook-delivery")?.trim().toLowerCase() === "abort",
  };
}

/** The runtime failed to make a request, also when it was repeated. Not the subscriber's fault. */
export class RuntimeFault extends Error {}

/**
 * Sends one attempt that starts at `nowMs` and returns its outcome. Throws only when the request cannot be made, for
 * example RuntimeFault.
 */
export async function send(outbound: Outbound, nowMs: number): Promise<SendOutcome> {
  const headers = { ...outbound.headers, ...(await headersOf(outbound, nowMs)), ...outbound.hopHeader };
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), SEND_TIMEOUT_MS);
  try {
    const response = await post(outbound.url, { headers, body: outbound.body, signal: deadline.signal });
    return answered(response.status, await readBody(response), response.headers, outbound.headers);
  } catch (error) {
    if (deadline.signal.aborted) return failure(TIMED_OUT);
    if (isRuntimeFault(error)) throw new RuntimeFault(error.message);
    return failure(isLost(error) ? CONNECTION_LOST : CONNECTION_FAILED);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes a request, and repeats it once after a fault of the runtime. */
async function post(url: string, init: RequestInit): Promise<Response> {
  const request = { ...init, method: "POST", redirect: "manual" } as const;
  try {
    return await fetch(url, request);
  } catch (error) {
    if (!isRuntimeFault(error) || init.signal?.aborted) throw error;
    return fetch(url, request);
  }
}

/** The runtime reports its own faults as "internal error". */
const isRuntimeFault = (error: unknown): error is Error =>
  error instanceof Error && error.message.startsWith("internal error");

/** workerd distinguishes a connection that was refused, reset or cut from one that could not start. */
const isLost = (error: unknown) => error instanceof Error && error.message === "Network connection lost.";

/**
 * Returns the headers that the service sets on an attempt that started at `startedMs` (Unix ms). The same input gives
 * the same headers.
 */
export async function headersOf(
  outbound: Omit<Outbound, "url" | "headers">,
  startedMs: number,
): Promise<Record<string, string>> {
  const { deliveryId, keys, body, profile, correlationId, replayId, orderKey = null, sequence } = outbound;
  const timestampSeconds = Math.floor(startedMs / 1000);
  const signatures = await signaturesOf(keys, deliveryId, timestampSeconds, body);
  return {
    "Content-Type": outbound.contentType,
    "Accept-Encoding": "identity",
    "User-Agent": USER_AGENT,
    "X-Webhook-Event": outbound.eventType,
    ...(keys.secret === null ? {} : { "X-Webhook-Signature": await signBody(keys.secret, body) }),
    "webhook-id": deliveryId,
    "webhook-timestamp": String(timestampSeconds),
    ...(signatures === "" ? {} : { "webhook-signature": signatures }),
    ...(profile && keys.secret !== null
      ? await profileHeaders(profile, { secrets: secretsOf(keys), id: deliveryId, timestampSeconds, body })
      : {}),
    ...(correlationId === null ? {} : { "X-Correlation-Id": correlationId }),
    ...(replayId === null ? {} : { "webhook-replay": replayId }),
    ...(orderKey === null ? {} : { "webhook-order-key": orderKey, "webhook-sequence": String(sequence) }),
  };
}

/** Returns one signature per key: first those of secrets, then those of Ed25519 keys, each newest first. */
async function signaturesOf(keys: SigningKeys, id: string, timestampSeconds: number, body: string): Promise<string> {
  const ofSecrets = secretsOf(keys).map((secret) => signStandard(secret, id, timestampSeconds, body));
  const ofKeys = keys.privateKeys.map(async (key) =>
    signAsymmetric(await importPrivateKey(key), id, timestampSeconds, body),
  );
  return (await Promise.all([...ofSecrets, ...ofKeys])).join(" ");
}

/** The secrets that are stored, newest first. */
const secretsOf = ({ secret, formerSecrets }: SigningKeys) => [...(secret === null ? [] : [secret]), ...formerSecrets];

/** Returns the first 16 KiB of the decoded body, or less if the rest is late. Cancels the remainder. */
async function readBody(response: Response): Promise<string> {
  if (!response.body) return "";
  const reader = response.body.getReader();
  const bytes = bytesOf(response);
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    while (length < MAX_BODY_BYTES) {
      // Asking for the end as well would take as long as reading a short body.
      if (length > 0 && length === bytes) return textOf(parts);
      const { done, value } = await reader.read();
      if (done) return textOf(parts);
      parts.push(value.subarray(0, MAX_BODY_BYTES - length));
      length += value.length;
    }
  } catch {
    // The time ran out or the connection broke after the headers. The status counts, and the body is what arrived until
    // then.
  }
  reader.cancel().catch(() => undefined);
  return textOf(parts);
}

/** How many bytes the decoded body has; 0 if that is not known. */
const bytesOf = ({ headers }: Response): number =>
  headers.has("content-encoding") ? 0 : Number(headers.get("content-length"));

/** Leaves out a character that is cut off at the end. */
function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("");
}
