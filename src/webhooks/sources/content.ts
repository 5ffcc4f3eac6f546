/** What a genuine call says: the type of its event, and what tells it from others. */
import { isForm } from "../../base/media-type";
import { type Challenge, challengeIn } from "./challenge";
import type { SourceOptions, TypeRule } from "./option-schemas";
import { idAt, textAt, valueAt } from "./place";
import type { SourceProvider } from "./schemas";
import { standardHeader } from "./signed";

/** What repeats of a call have in common: the provider's names for it, and the body or not. */
export interface CallIdentity {
  names: readonly string[];
  withBody: boolean;
}

export interface Content {
  /** The provider's name for the event; null if the call has none. */
  type: string | null;
  /** By which repeats are known; null: no call is a repeat. */
  identity: CallIdentity | null;
  correlationId: string | null;
  /** False for a call that is no event, such as a test of the connection. */
  isEvent: boolean;
  /** What the provider asks once, to learn that the URL is yours. */
  challenge?: Challenge;
}

/**
 * Reads what `body`, which is JSON, and the headers say. Bodies need not be unique, so two calls are one only by what
 * the provider names them by. Who repeats a call under another header gains one event, as he does after a day anyway.
 */
export function contentOf(provider: SourceProvider, options: SourceOptions, headers: Headers, body: unknown): Content {
  const content = saidBy(provider, options, headers, body);
  const challenge = provider === "slack" || provider === "hmac" ? challengeIn(headers, body) : null;
  return challenge ? { ...content, isEvent: false, challenge } : content;
}

function saidBy(provider: SourceProvider, options: SourceOptions, headers: Headers, body: unknown): Content {
  switch (provider) {
    case "stripe":
      return named(textAt(body, "/type"), idAt(body, "/id"));
    case "github":
      return github(headers, body);
    case "shopify":
      return shopify(headers);
    case "slack":
      return slack(body);
    case "twilio":
      return twilio(headers, body);
    case "sendgrid":
      // A call has a list of events of several types.
      return { ...named("events", null), correlationId: idAt(body, "/0/sg_event_id") };
    case "mailgun":
      return mailgun(body);
    case "standard": {
      // CloudEvents in binary mode have their type in a header.
      const inCall = () => textAt(body, "/type") ?? headers.get("x-webhook-event") ?? headers.get("ce-type");
      return named(options.type ? typeBy(options.type, headers, body) : inCall(), standardHeader(headers, "id"));
    }
    case "hmac":
      return { ...hmac(options, headers, body), isEvent: !isPingOfDiscord(options, body) };
  }
}

/** An event that the provider names by an id that it signs. */
const named = (type: string | null, id: string | null): Content => ({
  type: type || null,
  identity: id ? { names: [id], withBody: false } : byBody(type),
  correlationId: id,
  isEvent: true,
});

/** What tells calls apart that have no id. */
const byBody = (type: string | null): CallIdentity => ({ names: [type ?? ""], withBody: true });

function github(headers: Headers, body: unknown): Content {
  const event = headers.get("x-github-event");
  const action = textAt(body, "/action");
  const content = named(event && action ? `${event}.${action}` : event, null);
  const delivery = headers.get("x-github-delivery");
  const identity = delivery ? { names: ["delivery", delivery], withBody: true } : content.identity;
  return { ...content, identity, correlationId: delivery, isEvent: event !== "ping" };
}

/** One event has the same id in the calls of several topics. */
function shopify(headers: Headers): Content {
  const topic = headers.get("x-shopify-topic");
  const eventId = headers.get("x-shopify-event-id");
  const id = eventId || headers.get("x-shopify-webhook-id") || "";
  const content = named(topic?.replaceAll("/", ".") ?? null, null);
  return { ...content, identity: { names: [id, topic ?? ""], withBody: true }, correlationId: eventId };
}

/** Slash commands have no type. Slack checks the certificate with a form that is no event. */
function slack(body: unknown): Content {
  const outer = textAt(body, "/type") ?? (textAt(body, "/command") && "slash_command");
  const id = idAt(body, "/event_id") ?? textAt(body, "/trigger_id");
  return { ...named(textAt(body, "/event/type") ?? outer, id), isEvent: !textAt(body, "/ssl_check") };
}

/** Twilio does not name what it tells, but has its state. */
function twilio(headers: Headers, body: unknown): Content {
  const states = [
    ["message", textAt(body, "/MessageStatus") ?? textAt(body, "/SmsStatus")],
    ["recording", textAt(body, "/RecordingStatus")],
    ["call", textAt(body, "/CallStatus")],
  ] as const;
  const [kind, state] = states.find(([, value]) => value !== null) ?? [];
  const inJson = textAt(body, "/type") ?? textAt(body, "/0/type") ?? "webhook";
  const type = state ? `${kind}.${state}` : inJson;
  const id = headers.get("i-twilio-idempotency-token") ?? "";
  return { ...named(type, null), identity: { names: ["token", id, type], withBody: true }, correlationId: id || null };
}

/** The token is signed, and works once; the rest of the body is not signed. */
function mailgun(body: unknown): Content {
  const token = textAt(body, "/signature/token") ?? textAt(body, "/token");
  const type = textAt(body, "/event-data/event") ?? textAt(body, "/event") ?? "message";
  return { ...named(type, token), correlationId: textAt(body, "/event-data/id") ?? token };
}

function hmac({ type: rule, dedupe, verification }: SourceOptions, headers: Headers, body: unknown): Content {
  const type = rule ? typeBy(rule, headers, body) : null;
  if (dedupe === undefined) {
    return named(type, verification?.idHeader === undefined ? null : headers.get(verification.idHeader));
  }
  if (dedupe === false) return { ...named(type, null), identity: null };
  const id = "header" in dedupe ? headers.get(dedupe.header) : idAt(body, placeOf(dedupe));
  // With the type: what the tenant takes for the id of an event is often the one of what it is about.
  const identity = id ? { names: [id, type ?? ""], withBody: false } : byBody(type);
  return { ...named(type, id), identity };
}

/** Where the id is in the body. `pointer` is the former name of `path`. */
export const placeOf = (rule: { path: string } | { pointer: string }): string =>
  "path" in rule ? rule.path : rule.pointer;

function typeBy(rule: TypeRule, headers: Headers, body: unknown): string | null {
  if ("fixed" in rule) return rule.fixed;
  return "header" in rule ? headers.get(rule.header) : idAt(body, rule.pointer);
}

const isSignedIn = ({ verification }: SourceOptions, header: string): boolean =>
  verification?.header.toLowerCase() === header;

const isPingOfDiscord = (options: SourceOptions, body: unknown): boolean =>
  isSignedIn(options, "x-signature-ed25519") && valueAt(body, "/type") === 0;

/**
 * The status for a provider that takes no other answer than an empty one; null for others. Slack shows people what the
 * answer to a form says, Twilio runs it, and Xero and Discord refuse a URL that says anything.
 */
export function emptyStatusFor(provider: SourceProvider, options: SourceOptions, headers: Headers): 200 | 204 | null {
  if (provider === "twilio" || (provider === "slack" && isForm(headers.get("content-type")))) return 200;
  if (isSignedIn(options, "x-xero-signature")) return 200;
  return isSignedIn(options, "x-signature-ed25519") ? 204 : null;
}
