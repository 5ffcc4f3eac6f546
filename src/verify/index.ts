/**
 * `postern/verify`: whether a delivery is genuine. For subscribers; on WebCrypto, without dependencies.
 *
 * What a signature covers decides what it proves:
 * - `webhook-signature` (Standard Webhooks) covers id, timestamp and body: a delivery cannot be forged, sent again after five
 *   minutes, or given another id to pass for a new one.
 * - `X-Webhook-Signature` covers the body alone: anybody who has seen a delivery can send it again at any time, under any id and
 *   timestamp. So it counts only when the caller asks for it (`scheme: "body"`), never because the other one is missing.
 * - Neither covers `X-Webhook-Event`. If a payload could pass for that of another type, put the type into the payload.
 */
import { signBody, signStandard } from "../crypto/webhook-signature";
import { type RequestBody, readBody } from "./body";
import { DeliveryError } from "./errors";

export { DeliveryError, type DeliveryErrorReason } from "./errors";

const TOLERANCE_SECONDS = 300;
const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** How many signatures of a header are tried. */
const MAX_SIGNATURES = 16;

/** A request of a framework that has no `Request`. */
export interface PlainRequest {
  /** With names in any letter case, as in `node:http`. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The body byte for byte as it came, not parsed and serialized again. */
  body: string | Uint8Array;
}

/** How strict to be. */
export interface VerifyOptions {
  /** Which signature decides; "standard" unless given. "body" does not protect against replayed deliveries. */
  scheme?: "standard" | "body" | undefined;
  /** How far `webhook-timestamp` may be from the clock, either way; 300 unless given. */
  toleranceSeconds?: number | undefined;
  /** The largest body to read, in bytes; 2 MiB unless given. */
  maxBodyBytes?: number | undefined;
  /** The time to compare with, in Unix milliseconds; `Date.now()` unless given. */
  nowMs?: number | undefined;
}

/** A genuine delivery. */
export interface Delivery<Payload = unknown> {
  /** The same on every attempt: skip an id that you have handled. Not signed under `scheme: "body"`. */
  id: string;
  /** The event's type. No signature covers it. */
  type: string;
  /** When this attempt was signed. Not signed under `scheme: "body"`. */
  timestamp: Date;
  /** The parsed body. Its type is what the caller says; it is not checked. */
  payload: Payload;
  /** What the publisher sent along, if anything. Not signed. */
  correlationId: string | undefined;
}

/**
 * Returns the delivery in `request` if one of `secrets` has signed it; during a rotation pass the old and the new one.
 * A `Request` is read to its end. Throws DeliveryError with a `reason`, for which you answer 400, and TypeError for an empty
 * secret or an option out of range.
 *
 * @example
 * const { id, type, payload } = await verifyDelivery<{ order: number }>(request, process.env.WEBHOOK_SECRET);
 */
export async function verifyDelivery<Payload = unknown>(
  request: Request | PlainRequest,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<Delivery<Payload>> {
  const { scheme = "standard", toleranceSeconds = TOLERANCE_SECONDS, maxBodyBytes = MAX_BODY_BYTES } = options;
  const keys = typeof secrets === "string" ? [secrets] : secrets;
  if (keys.length === 0 || keys.includes(""))
    throw new TypeError("verifyDelivery needs at least one secret, and none may be empty.");
  if (scheme !== "standard" && scheme !== "body") throw new TypeError('The scheme must be "standard" or "body".');
  if (!(toleranceSeconds >= 0 && maxBodyBytes >= 0)) {
    throw new TypeError("toleranceSeconds and maxBodyBytes must be 0 or more.");
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
  // A header of the Standard scheme may carry several signatures, separated by spaces.
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

/** Not `instanceof`: a program may contain several `Headers` classes. */
const isHeaders = (headers: PlainRequest["headers"]): headers is Headers => typeof headers.get === "function";

/** Whole seconds since 1970, in the digits that were signed. */
function timestampOf(text: string): number {
  if (!/^(0|[1-9][0-9]{0,11})$/.test(text)) throw new DeliveryError("MALFORMED_TIMESTAMP");
  return Number(text);
}

/** Compares in constant time: WebCrypto compares HMACs of both texts under a random key. */
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
