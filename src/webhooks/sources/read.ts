/** Turns the body of a genuine call into the event that is published, or says why there is none. */
import { AppError, invalid } from "../../base/errors";
import { isForm } from "../../base/media-type";
import { typeNameOf } from "../../base/schemas/event-type";
import { publication } from "../events/publication";
import type { Challenge } from "./challenge";
import { type CallIdentity, type Content, contentOf } from "./content";
import { fieldsOf } from "./form";
import type { InboundCall } from "./inbound-call";
import { MAX_INBOUND_BYTES } from "./option-schemas";
import type { Reason, SourceProvider } from "./schemas";
import type { SourceRow } from "./store";

/** A call that becomes an event. */
export interface Relayed {
  type: string;
  /** The very bytes of the body, or of the JSON in it. */
  payload: string;
  /** By which repeats are known; null: no call is a repeat. */
  identity: CallIdentity | null;
  correlationId: string | null;
}

/** What a genuine call is. */
type Reading =
  | { is: "event"; event: Relayed }
  | { is: "ignored"; type: string | null; challenge?: Challenge }
  | { is: "refused"; reason: Reason; error: AppError };

/** What a form is: the JSON in its field `payload`, or its fields. Other providers send no forms. */
const FORMS: Readonly<Partial<Record<SourceProvider, readonly ("payload" | "fields")[]>>> = {
  github: ["payload"],
  slack: ["payload", "fields"],
  twilio: ["fields"],
  mailgun: ["fields"],
  standard: ["payload", "fields"],
  hmac: ["payload", "fields"],
};

const OWN_NAMES: readonly SourceProvider[] = ["hmac", "standard"];

/** What stands before each type unless the source says otherwise. */
export const defaultPrefix = (provider: SourceProvider): string => (OWN_NAMES.includes(provider) ? "" : `${provider}.`);

/** Reads a genuine call of a source. */
export function readCall({ provider, options }: SourceRow, { headers, body }: InboundCall): Reading {
  const maxBytes = options.maxBytes ?? MAX_INBOUND_BYTES;
  if (body.length > maxBytes) {
    const message = `The body is larger than ${maxBytes} bytes.`;
    return { is: "refused", reason: "too_large", error: new AppError("PAYLOAD_TOO_LARGE", { message }) };
  }
  const form = isForm(headers.get("content-type")) ? (FORMS[provider] ?? []) : null;
  if (form?.length === 0) {
    return { is: "refused", reason: "media_type", error: new AppError("UNSUPPORTED_MEDIA_TYPE") };
  }
  const read = jsonIn(body, form);
  if (read === null) return { is: "refused", reason: "body", error: new AppError("INVALID_JSON") };
  const content = contentOf(provider, options, headers, read.json);
  const { identity, correlationId, isEvent, challenge } = content;
  const given = content.type && typeNameOf(content.type);
  const type = given === null ? null : (options.typePrefix ?? defaultPrefix(provider)) + given;
  if (!isEvent || (given !== null && !isAllowed(options.allow, given))) {
    return { is: "ignored", type, ...(challenge === undefined ? {} : { challenge }) };
  }
  const checked = publication.safeParse({ type: type ?? undefined, payload: read.json });
  if (!checked.success) {
    const reason = checked.error.issues.some(({ path }) => path[0] === "type") ? "type" : "body";
    return { is: "refused", reason, error: invalid(checked.error) };
  }
  const event = { type: checked.data.type, payload: read.text, identity, correlationId: printable(correlationId) };
  return { is: "event", event };
}

/** JSON as text and parsed. */
interface Json {
  text: string;
  json: unknown;
}

/** The JSON of a call; null if it is not JSON in UTF-8. A mark of the byte order is no part of it (RFC 8259 8.1). */
function jsonIn(body: InboundCall["body"], form: readonly ("payload" | "fields")[] | null): Json | null {
  try {
    const sent = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body);
    if (!form) return parsed(sent);
    // What curl sends of JSON says that it is a form, unless it is told otherwise.
    const inForm = /^\s*[[{]/.test(sent) ? parsed(sent) : form.includes("payload") ? payloadIn(sent) : null;
    if (inForm || !form.includes("fields")) return inForm;
    const json = fieldsOf(new URLSearchParams(sent));
    return { text: JSON.stringify(json), json };
  } catch {
    return null;
  }
}

/** The JSON in the field `payload` of a form; null if it has none. */
function payloadIn(form: string): Json | null {
  const [, encoded = ""] = /(?:^|&)payload=([^&]*)/.exec(form) ?? [];
  try {
    return parsed(decodeURIComponent(encoded.replaceAll("+", " ")));
  } catch {
    return null;
  }
}

function parsed(text: string): Json | null {
  try {
    return { text, json: JSON.parse(text) };
  } catch {
    return null;
  }
}

const isAllowed = (allow: readonly string[] | undefined, type: string): boolean =>
  allow === undefined ||
  allow.some((pattern) => (pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern));

/** What a header can carry; null for other text. */
function printable(id: Content["correlationId"]): string | null {
  return publication.shape.correlationId.safeParse(id ?? undefined).success ? id : null;
}
