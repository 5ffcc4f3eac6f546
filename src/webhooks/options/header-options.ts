/**
 * `delivery.headers`: a subscription's own headers, such as a credential for a gateway. Their values are never shown
 * again.
 */
import * as z from "zod";
import type { ErrorDetail } from "../../base/errors";
import { type DeliveryOption, type OptionField, withDocs } from "../../base/option";

const MAX_HEADERS = 20;
const MAX_VALUE_CHARACTERS = 1024;
const MAX_BYTES = 4096;
/** The last four characters of a shorter value would give too much away. */
const MIN_CHARACTERS_TO_HINT = 12;

/** A shorter value is hardly a credential, and hiding it would make answers unreadable. */
const MIN_CHARACTERS_TO_HIDE = 8;

/** A token (RFC 9110, section 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** Visible ASCII with spaces inside: no control character can begin another header. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that the service, the connection or a proxy sets, by name. */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(
  (
    "accept-encoding user-agent host connection keep-alive te trailer trailers transfer-encoding upgrade expect date " +
    "via forwarded cookie set-cookie origin referer range cache-control pragma expires age warning clear-site-data " +
    "traceparent tracestate"
  ).split(" "),
);
const FORBIDDEN_PREFIXES = (
  "content- proxy- if- webhook- x-webhook- x-correlation- x-postern- cf- x-forwarded- x-real- x-amz- x-amzn- x-goog " +
  "x-gfe x-azure- x-fd- sec-"
).split(" ");

const isForbidden = (name: string) =>
  FORBIDDEN_NAMES.has(name) || FORBIDDEN_PREFIXES.some((prefix) => name.startsWith(prefix));

/** Returns what is wrong with a name; undefined when it may be used. */
function refuseName(name: string): string | undefined {
  if (!NAME.test(name)) return "A header's name must be 1 to 64 letters, digits or !#$%&'*+.^_`|~-";
  return isForbidden(name.toLowerCase()) ? `The header ${name} must not be set` : undefined;
}

/** The name of a header that a subscription may set. */
export const headerName = z.string().superRefine((name, context) => {
  const message = refuseName(name);
  if (message) context.addIssue({ code: "custom", message });
});

/** Refuses the name `__proto__`. Runs before zod reads the record, because zod drops this name without an error. */
function refuseProto(headers: Record<string, string | null>, context: z.RefinementCtx): unknown {
  if (headers instanceof Object && Object.hasOwn(headers, "__proto__")) {
    context.addIssue({ code: "custom", path: ["__proto__"], message: "The header __proto__ must not be set" });
  }
  return headers;
}

const namedValues = z
  .record(z.string(), z.string().max(MAX_VALUE_CHARACTERS).nullable())
  .superRefine((headers, context) => {
    const seen = new Set<string>();
    for (const [name, value] of Object.entries(headers)) {
      const refuse = (message: string) => context.addIssue({ code: "custom", path: [name], message });
      const refusal = refuseName(name);
      if (refusal) refuse(refusal);
      else if (seen.has(name.toLowerCase()))
        refuse(`The header ${name} must be given once: letter case does not count`);
      else if (value !== null && !VALUE.test(value)) {
        refuse("Must be 1 to 1,024 visible ASCII characters, with spaces only between them");
      }
      seen.add(name.toLowerCase());
    }
  });

const headersChange = z.preprocess(refuseProto, namedValues);

/** What the API returns about headers. */
const headersView = z
  .record(
    z.string(),
    z.object({
      set: z.literal(true),
      last4: z
        .string()
        .optional()
        .meta({ description: "The end of a value of 12 characters or more.", examples: ["ijkl"] }),
    }),
  )
  .meta({
    description: "The names of the headers that are set.",
    examples: [{ Authorization: { set: true, last4: "ijkl" } }],
  });

const docs = {
  description:
    "Headers that each delivery carries, by name; null removes one, and those left out stay. At most 20, together " +
    "4 KiB. Their values are encrypted and never returned. When the URL's origin changes, each must be given again " +
    "or set to null.",
  values: "names with values of up to 1,024 characters",
  byDefault: "none",
  examples: [{ Authorization: "Bearer abcdefghijkl", "X-Old": null }],
};

/** One header per line. A line without a value removes its header. */
const field: OptionField = {
  inputs: [
    {
      kind: "hidden",
      name: "headers",
      label: "Own headers",
      hint: "For a gateway, for example. One per line, as Authorization: Bearer 1234. Values are never shown again.",
    },
  ],
  errorInput: "headers",
  show: () => ({ headers: "" }),
  read: ({ headers = "" }) => {
    const lines = headers.split(/\r?\n/).filter((line) => line.trim() !== "");
    const entries = lines.map((line): [string, string | null] => {
      const [name = "", ...rest] = line.split(":");
      return [name.trim(), rest.join(":").trim() || null];
    });
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  },
};

/** Stored in a column of its own, encrypted. */
export const HEADER_OPTIONS = {
  headers: { change: withDocs(headersChange, docs), shown: headersView, docs, field } satisfies DeliveryOption,
};

export type HeadersChange = z.infer<typeof headersChange>;
export type HeadersView = z.infer<typeof headersView>;
/** Names, as given, with their values. */
export type Headers = Readonly<Record<string, string>>;

/** The associated data that binds the encrypted headers to their subscription. */
export const headersOwner = (subscriptionId: string) => `headers:${subscriptionId}`;

/** Applies a change; null removes all. Names match in any letter case. */
export function mergeHeaders(before: Headers, change: HeadersChange | null): Headers {
  if (change === null) return {};
  const merged = new Map(Object.entries(before).map(([name, value]) => [name.toLowerCase(), [name, value] as const]));
  for (const [name, value] of Object.entries(change)) {
    if (value === null) merged.delete(name.toLowerCase());
    else merged.set(name.toLowerCase(), [name, value]);
  }
  return Object.fromEntries(merged.values());
}

/** Returns an error if a subscription has too many headers, or too large ones. */
export function refuseHeaders(headers: Headers): ErrorDetail[] {
  const entries = Object.entries(headers);
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const path = "delivery.headers";
  if (entries.length > MAX_HEADERS) return [{ path, message: `At most ${MAX_HEADERS} headers` }];
  return bytes > MAX_BYTES ? [{ path, message: `Names and values must have at most ${MAX_BYTES} bytes together` }] : [];
}

/**
 * Returns the names of the headers that a change keeps. After a change of the URL's origin they would go to another
 * receiver.
 */
export function leftOut(before: Headers, change: HeadersChange | null | undefined): string[] {
  if (change === null) return [];
  const given = new Set(Object.keys(change ?? {}).map((name) => name.toLowerCase()));
  return Object.keys(before).filter((name) => !given.has(name.toLowerCase()));
}

export const viewOfHeaders = (headers: Headers): HeadersView =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      { set: true, ...(value.length >= MIN_CHARACTERS_TO_HINT ? { last4: value.slice(-4) } : {}) },
    ]),
  );

/**
 * Hides header values, and single words of them, that a subscriber repeats in its answer, such as "invalid token
 * abcdefghijkl".
 */
export const withoutValues = (text: string, headers: Headers): string =>
  Object.values(headers)
    .flatMap((value) => [value, ...value.split(" ")])
    .filter(({ length }) => length >= MIN_CHARACTERS_TO_HIDE)
    .flatMap(spellings)
    .sort((a, b) => b.length - a.length)
    .reduce((cleaned, value) => cleaned.replaceAll(value, "[header value]"), text);

/** Returns the value as it is, and as JSON writes it, with and without escaped slashes. */
function spellings(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  return [value, inJson, inJson.replaceAll("/", "\\/")];
}
