/**
 * `postern/verify`: whether a delivery is genuine. For subscribers; on WebCrypto, without dependencies.
 *
 * What a signature covers decides what it proves:
 * - `webhook-signature` (Standard Webhooks, `v1` and `v1a`) covers id, timestamp and body: a delivery cannot be forged,
 *   sent again after five minutes, or given another id to pass for a new one.
 * - `X-Webhook-Signature` covers the body alone: anybody who has seen a delivery can send it again at any time, under
 *   any id and timestamp. So it counts only when the caller asks for it (`scheme: "body"`), never because the other one
 *   is missing.
 * - Neither covers `X-Webhook-Event`. If a payload could pass for that of another type, use a `format` with the type in
 *   the body.
 */
import { signBody, signStandard } from "../../base/crypto/webhook-signature";
import type { Parser } from "../parser";
import { type RequestBody, readBody } from "./body";
import type { Delivery, DeliveryOf } from "./delivery";
import { anyVerifies, ed25519Signatures } from "./ed25519";
import { BODY_FORMATS, type BodyFormat, openEnvelope } from "./envelope";
import { DeliveryError } from "./errors";
import { parseKeys, type VerificationKeys } from "./keys";

export type { Parser } from "../parser";
export type { Delivery, DeliveryOf, TypedDelivery } from "./delivery";
export type { BodyFormat } from "./envelope";
export { DeliveryError, type DeliveryErrorReason } from "./errors";
export type { KeySet } from "./key-set";
export type { VerificationKeys } from "./keys";

const TOLERANCE_SECONDS = 300;
const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** How many signatures of a header are tried. */
const MAX_SIGNATURES = 32;

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
  /**
   * Reads the body; `JSON` unless given. JSON.parse changes numbers above 2^53: pass a library that keeps their digits.
   */
  json?: Parser | undefined;
}

/**
 * Returns the delivery in `request` if one of `keys` has signed it. A `Request` is read to its end.
 * Throws DeliveryError with a `reason`, for which you answer 400 (503 for KEYS_UNAVAILABLE), and TypeError for a
 * malformed key or an option out of range.
 *
 * @example
 * const { id, type, payload } = await verifyDelivery<{ order: number }>(request, process.env.WEBHOOK_SECRET);
 *
 * @example
 * // With the public keys of a subscription whose signature is "v1+v1a".
 * const keys = { jwks: `https://postern.example.com/.well-known/webhook-keys/${subscriptionId}` };
 * const delivery = await verifyDelivery(request, keys);
 *
 * @example
 * // With the types that `postern types` has written, for a subscription whose `delivery.format` is "standard". The
 * // type is read from the signed body, so it decides about the payload. Bodies of another format are MALFORMED_BODY.
 * const delivery = await verifyDelivery<PosternEvents>(request, secret, { format: "standard" });
 * if (delivery.type === "order.paid") console.log(delivery.payload.total);
 */
export function verifyDelivery<Events extends object = Record<string, unknown>>(
  request: Request | PlainRequest,
  keys: VerificationKeys,
  options: VerifyOptions & { format: BodyFormat },
): Promise<DeliveryOf<Events>>;
export function verifyDelivery<Payload = unknown>(
  request: Request | PlainRequest,
  keys: VerificationKeys,
  options?: VerifyOptions,
): Promise<Delivery<Payload>>;
export async function verifyDelivery(
  request: Request | PlainRequest,
  keys: VerificationKeys,
  options: VerifyOptions & { format?: BodyFormat } = {},
): Promise<Delivery> {
  const { scheme, toleranceSeconds, maxBodyBytes, nowMs } = checkedOptions(options);
  const { format } = options;
  const { secrets, anyPublicKey } = await parseKeys(keys, nowMs);
  if (scheme === "body" && secrets.length === 0) throw new TypeError('The scheme "body" needs a secret.');
  const header = headerReader(request.headers);
  const id = header("webhook-id");
  const seconds = timestampOf(header("webhook-timestamp"));
  const given = header(scheme === "standard" ? "webhook-signature" : "x-webhook-signature");
  const named = format === undefined ? header("x-webhook-event") : "";
  const ageSeconds = nowMs / 1000 - seconds;
  if (ageSeconds > toleranceSeconds) throw new DeliveryError("TIMESTAMP_TOO_OLD");
  if (ageSeconds < -toleranceSeconds) throw new DeliveryError("TIMESTAMP_TOO_NEW");
  const body = await readBody(request as RequestBody, maxBodyBytes);
  // A header of the Standard scheme may carry several signatures, separated by spaces.
  const signatures = given.split(" ").slice(0, MAX_SIGNATURES);
  const sign = (key: string) => (scheme === "standard" ? signStandard(key, id, seconds, body) : signBody(key, body));
  const publicSignatures = scheme === "standard" ? ed25519Signatures(signatures) : [];
  const signed = `${id}.${seconds}.${body}`;
  const isGenuine =
    (await anyEqual(await Promise.all(secrets.map(sign)), signatures)) ||
    // Without a signature to check, no keys are fetched.
    (publicSignatures.length > 0 && (await anyPublicKey((keys) => anyVerifies(keys, publicSignatures, signed))));
  if (!isGenuine) throw new DeliveryError("SIGNATURE_MISMATCH");
  const payload = parse(body, options.json ?? JSON);
  return {
    id,
    ...(format === undefined ? { type: named, payload } : openEnvelope(payload, format)),
    body,
    timestamp: new Date(seconds * 1000),
    correlationId: header.optional("x-correlation-id"),
    orderKey: header.optional("webhook-order-key"),
    sequence: sequenceOf(header.optional("webhook-sequence")),
  };
}

function checkedOptions(options: VerifyOptions & { format?: BodyFormat }) {
  const { scheme = "standard", toleranceSeconds = TOLERANCE_SECONDS, format } = options;
  const { maxBodyBytes = MAX_BODY_BYTES, nowMs = Date.now() } = options;
  if (format !== undefined && !BODY_FORMATS.includes(format)) {
    throw new TypeError('The format must be "standard" or "cloudevents".');
  }
  if (options.json !== undefined && typeof options.json.parse !== "function") {
    throw new TypeError("json must have the method parse.");
  }
  if (scheme !== "standard" && scheme !== "body") throw new TypeError('The scheme must be "standard" or "body".');
  if (!(toleranceSeconds >= 0 && maxBodyBytes >= 0 && nowMs >= 0)) {
    throw new TypeError("toleranceSeconds, maxBodyBytes and nowMs must be 0 or more.");
  }
  return { scheme, toleranceSeconds, maxBodyBytes, nowMs };
}

function headerReader(headers: PlainRequest["headers"]) {
  const find = (name: string): string | undefined => {
    if (isHeaders(headers)) return headers.get(name) ?? undefined;
    const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
    return value === undefined ? undefined : String(value);
  };
  const required = (name: string): string => {
    const value = find(name);
    if (!value) throw new DeliveryError("MISSING_HEADER", { message: `The header ${name} is missing.` });
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

const sequenceOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : undefined;

/** Compares in constant time: WebCrypto compares HMACs of both texts under a random key. */
async function anyEqual(expected: readonly string[], given: readonly string[]): Promise<boolean> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const key = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  const macs = await Promise.all(expected.map((text) => crypto.subtle.sign("HMAC", key as CryptoKey, bytes(text))));
  const checks = given.flatMap((text) =>
    macs.map((mac) => crypto.subtle.verify("HMAC", key as CryptoKey, mac, bytes(text))),
  );
  return (await Promise.all(checks)).includes(true);
}

function parse(body: string, json: Parser): unknown {
  try {
    return json.parse(body);
  } catch {
    throw new DeliveryError("MALFORMED_BODY");
  }
}
