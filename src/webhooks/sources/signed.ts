/** What a call says about its signature, for each provider. */
import { fromBase64, fromHex, utf8 } from "../../base/crypto/encoding";
import type { SourceOptions, Verification } from "./option-schemas";
import type { SourceProvider } from "./schemas";

/** A call of a provider, as it came. */
export interface InboundCall {
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
}

/** The signatures of a call, and what they sign. */
export interface Signed {
  hash: "SHA-256" | "SHA-512";
  /** HMACs; one of them must be right. */
  macs: Uint8Array<ArrayBuffer>[];
  /** Ed25519 signatures, of the provider `standard`. */
  ed25519: Uint8Array<ArrayBuffer>[];
  content: Uint8Array<ArrayBuffer>;
  /** When it was signed, Unix seconds; missing where the provider does not say. */
  timestampSeconds?: number;
  toleranceSeconds: number;
}

/** Stripe, Slack and Standard Webhooks all advise five minutes. */
const TOLERANCE_SECONDS = 300;
/** Of a longer list, the first ones are read. */
const MAX_ENTRIES = 32;
const MAC_BYTES = { "SHA-256": 32, "SHA-512": 64 } as const;
const DIGITS = /^\d{1,12}$/;

/**
 * Returns the signatures of a call; null if they are missing or malformed. A repeated header is one text with a comma,
 * which no form of a signature allows.
 */
export function signedBy(provider: SourceProvider, { verification }: SourceOptions, call: InboundCall): Signed | null {
  if (provider === "hmac") return verification ? hmac(call, verification) : null;
  return PROVIDERS[provider](call);
}

const PROVIDERS: Record<Exclude<SourceProvider, "hmac">, (call: InboundCall) => Signed | null> = {
  stripe,
  github: ({ headers, body }) => single(mac(headers.get("x-hub-signature-256"), "sha256=", "hex"), body),
  shopify: ({ headers, body }) => single(mac(headers.get("x-shopify-hmac-sha256"), "", "base64"), body),
  slack: ({ headers, body }) => {
    const time = timeIn(headers.get("x-slack-request-timestamp"));
    if (time === null) return null;
    const signature = mac(headers.get("x-slack-signature"), "v0=", "hex");
    return single(signature, join(`v0:${time.text}:`, body), time.seconds);
  },
  standard,
};

function single(
  signature: Uint8Array<ArrayBuffer> | null,
  content: Uint8Array<ArrayBuffer>,
  timestampSeconds?: number,
) {
  return signature && signed([signature], content, timestampSeconds);
}

const signed = (
  macs: readonly (Uint8Array<ArrayBuffer> | null)[],
  content: Signed["content"],
  timestampSeconds?: number,
): Signed => ({
  hash: "SHA-256",
  macs: present(macs),
  ed25519: [],
  content,
  ...(timestampSeconds === undefined ? {} : { timestampSeconds }),
  toleranceSeconds: TOLERANCE_SECONDS,
});

/** `t=<Unix seconds>,v1=<hex>,…`, with one `t`. What is not understood is passed over. */
function stripe({ headers, body }: InboundCall): Signed | null {
  const parts = entriesOf(headers.get("stripe-signature"), ",").map((part) => part.trim());
  const [time, ...others] = parts.filter((part) => part.startsWith("t=")).map((part) => timeIn(part.slice(2)));
  const macs = parts.map((part) => mac(part, "v1=", "hex"));
  return time && others.length === 0 ? signed(macs, join(`${time.text}.`, body), time.seconds) : null;
}

/** Standard Webhooks: a list with spaces of `v1,<base64>` and `v1a,<base64>`. What is not understood is passed over. */
function standard({ headers, body }: InboundCall): Signed | null {
  const id = standardHeader(headers, "id");
  const time = timeIn(standardHeader(headers, "timestamp"));
  const given = standardHeader(headers, "signature");
  if (!id || time === null || !given || isRepeated(given)) return null;
  const entries = entriesOf(given, " ");
  const macs = entries.map((one) => mac(one, "v1,", "base64"));
  const ed25519 = entries.map((one) => (one.startsWith("v1a,") ? bytesIn(one.slice("v1a,".length), "base64") : null));
  return { ...signed(macs, join(`${id}.${time.text}.`, body), time.seconds), ed25519: present(ed25519) };
}

/** A header of Standard Webhooks, also under the older name that Svix gave it. */
export const standardHeader = (headers: Headers, name: "id" | "timestamp" | "signature"): string | null =>
  headers.get(`${headers.has("webhook-id") ? "webhook" : "svix"}-${name}`);

/** Headers that come twice are one text with a comma and a space, which no list with spaces has. */
const isRepeated = (header: string): boolean => header.includes(", ");

const entriesOf = (list: string | null, separator: string): string[] => (list ?? "").split(separator, MAX_ENTRIES);

function hmac({ headers, body }: InboundCall, verification: Verification): Signed | null {
  const { header, algorithm, encoding, prefix, timestampHeader, idHeader, toleranceSeconds } = verification;
  const hash = algorithm === "sha512" ? "SHA-512" : "SHA-256";
  const signature = mac(headers.get(header), prefix, encoding, hash);
  const time = timestampHeader === undefined ? undefined : timeIn(headers.get(timestampHeader));
  const id = idHeader === undefined ? "" : headers.get(idHeader);
  if (!signature || time === null || id === null || (idHeader !== undefined && id === "")) return null;
  const filled = (text: string) =>
    text.replace(/\{timestamp\}|\{id\}/g, (part) => (part === "{id}" ? id : (time?.text ?? "")));
  const [before = "", after = ""] = verification.content.split("{body}");
  const content = join(filled(before), body, filled(after));
  return { ...signed([signature], content, time?.seconds), hash, toleranceSeconds };
}

/** The HMAC in a header after its prefix; null if it is missing or has another form. */
function mac(header: string | null, prefix: string, encoding: "hex" | "base64", hash: Signed["hash"] = "SHA-256") {
  if (!header?.startsWith(prefix)) return null;
  const bytes = bytesIn(header.slice(prefix.length), encoding);
  return bytes?.length === MAC_BYTES[hash] ? bytes : null;
}

function bytesIn(text: string, encoding: "hex" | "base64"): Uint8Array<ArrayBuffer> | null {
  if (encoding === "base64" && !/^[A-Za-z0-9+/]{1,200}={0,2}$/.test(text)) return null;
  try {
    return encoding === "hex" ? fromHex(text) : fromBase64(text);
  } catch {
    return null;
  }
}

const timeIn = (header: string | null) =>
  header !== null && DIGITS.test(header) ? { text: header, seconds: Number(header) } : null;

const present = (macs: readonly (Uint8Array<ArrayBuffer> | null)[]) => macs.filter((bytes) => bytes !== null);

/** The bytes of `before`, the body and `after`. The body is signed as it came, whether it is UTF-8 or not. */
function join(before: string, body: Uint8Array, after = ""): Uint8Array<ArrayBuffer> {
  const [first, last] = [utf8(before), utf8(after)];
  const bytes = new Uint8Array(first.length + body.length + last.length);
  bytes.set(first);
  bytes.set(body, first.length);
  bytes.set(last, first.length + body.length);
  return bytes;
}
