/**
 * `postern/verify`: is a delivery genuine? For subscribers, on WebCrypto, without dependencies.
 *
 * What each signature covers decides what it can promise:
 * - `webhook-signature` (Standard Webhooks) covers id, timestamp and body: a delivery can neither be forged, nor sent again
 *   after five minutes, nor given another id to pass for a new one.
 * - `X-Webhook-Signature` covers the body alone: a delivery that somebody has seen can be sent again at any time under any id
 *   and timestamp. So it is only taken when asked for (`scheme: "body"`), never because the other is missing.
 * - Neither covers `X-Webhook-Event`. Where a payload could pass for that of another type, put the type into the payload.
 */
import { signBody, signStandard } from "../crypto/webhook-signature";
import { type RequestBody, readBody } from "./body";
import { DeliveryError } from "./errors";

export { DeliveryError, type DeliveryErrorReason } from "./errors";

const TOLERANCE_SECONDS = 300;
const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** How many signatures a header may carry. */
const MAX_SIGNATURES = 16;

/** A request as other frameworks have it; `body` is what came, byte for byte, not parsed and written again. */
export interface PlainRequest {
  headers: Headers | Record<string, string | string[] | undefined>;
  body: string | Uint8Array;
}

export interface VerifyOptions {
  /** Which signature decides; "standard" unless given. "body" gives no protection against deliveries sent again. */
  scheme?: "standard" | "body" | undefined;
  /** How far `webhook-timestamp` may be off, either way; 300. */
  toleranceSeconds?: number | undefined;
  /** 2 MiB. */
  maxBodyBytes?: number | undefined;
  /** The clock; `Date.now()`. */
  nowMs?: number | undefined;
}

export interface Delivery<Payload = unknown> {
  /** The same on every attempt: drop what you have seen. Not signed under `scheme: "body"`. */
  id: string;
  /** The event's type; no signature covers it. */
  type: string;
  /** When this attempt was signed. Not signed under `scheme: "body"`. */
  timestamp: Date;
  payload: Payload;
  /** What the publisher gave. Not signed. */
  correlationId: string | undefined;
}

/**
 * The delivery in `request`, if one of `secrets` has signed it (give the old and the new one during a rotation).
 * Throws `DeliveryError` with a `reason`: answer 400 then. A `Request` is read to its end.
 */
export async function verifyDelivery<Payload = unknown>(
  request: Request | PlainRequest,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<Delivery<Payload>> {
  const { scheme = "standard", toleranceSeconds = TOLERANCE_SECONDS, maxBodyBytes = MAX_BODY_BYTES } = options;
  const keys = typeof secrets === "string" ? [secrets] : secrets;
  if (keys.length === 0 || keys.includes("")) throw new TypeError("verifyDelivery needs a secret that is not empty.");
  if (scheme !== "standard" && scheme !== "body") throw new TypeError('The scheme is "standard" or "body".');
  if (!(toleranceSeconds >= 0 && maxBodyBytes >= 0)) {
    throw new TypeError("toleranceSeconds and maxBodyBytes are numbers from 0 on.");
  }
  const header = headerReader(request.headers);
  const id = header("webhook-id");
  const seconds = timestampOf(header("webhook-timestamp"));
  const given = header(scheme === "standard" ? "webhook-signature" : "x-webhook-signature");
  const type = header("x-webhook-event");
  const ageSeconds = (options.nowMs ?? Date.now()) / 1000 - seconds;
  if (ageSeconds > toleranceSeconds) throw new DeliveryError("TIMESTAMP_TOO_OLD");
  if (ageSeconds < -toleranceSeconds) throw new DeliveryError("TIMESTAMP_TOO_NEW");
  const body = await readBody(request as RequestBody, maxBodyBytes);
  const sign = (key: string) => (scheme === "standard" ? signStandard(key, id, seconds, body) : signBody(key, body));
  // The Standard scheme may carry several signatures, with spaces between them.
  const candidates = given.split(" ").slice(0, MAX_SIGNATURES);
  if (!(await anyMatches(await Promise.all(keys.map(sign)), candidates))) throw new DeliveryError("SIGNATURE_MISMATCH");
  return {
    id,
    type,
    timestamp: new Date(seconds * 1000),
    payload: parse(body) as Payload,
    correlationId: header.optional("x-correlation-id"),
  };
}

function headerReader(headers: PlainRequest["headers"]) {
  const find = (name: string): string | undefined => {
    if (isHeaders(headers)) return headers.get(name) ?? undefined;
    const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
    return value === undefined ? undefined : String(value);
  };
  const required = (name: string): string => {
    const value = find(name);
    if (!value) throw new DeliveryError("MISSING_HEADER", `The header ${name} is missing.`);
    return value;
  };
  return Object.assign(required, { optional: find });
}

/** Not `instanceof`: there may be several `Headers` classes in one program. */
const isHeaders = (headers: PlainRequest["headers"]): headers is Headers => typeof headers.get === "function";

/** Whole seconds since 1970, in the digits that were signed. */
function timestampOf(text: string): number {
  if (!/^(0|[1-9][0-9]{0,11})$/.test(text)) throw new DeliveryError("MALFORMED_TIMESTAMP");
  return Number(text);
}

/** In constant time: WebCrypto compares the HMACs of both under a key that nobody knows. */
async function anyMatches(expected: readonly string[], given: readonly string[]): Promise<boolean> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const key = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  const macs = await Promise.all(expected.map((text) => crypto.subtle.sign("HMAC", key as CryptoKey, bytes(text))));
  const checks = given.flatMap((text) =>
    macs.map((mac) => crypto.subtle.verify("HMAC", key as CryptoKey, mac, bytes(text))),
  );
  return (await Promise.all(checks)).includes(true);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new DeliveryError("MALFORMED_BODY");
  }
}
