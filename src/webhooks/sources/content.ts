/** What a genuine call says: the type of its event, and what tells it from others. */
import type { SourceOptions, TypeRule } from "./option-schemas";
import type { SourceProvider } from "./schemas";

export interface Content {
  /** The provider's name for the event; null if the call has none. */
  type: string | null;
  /** By which repeats are known; null: by the whole body. */
  dedupeId: string | null;
  correlationId: string | null;
  /** False for a call that is no event, such as a test of the connection. */
  isEvent: boolean;
  /** What the provider wants to hear once, to know that the URL is yours. */
  challenge?: string;
}

/** Reads what `body`, which is JSON, and the headers say. */
export function contentOf(
  provider: SourceProvider,
  { type, dedupe, verification }: SourceOptions,
  headers: Headers,
  body: unknown,
): Content {
  switch (provider) {
    case "stripe":
      return named(textAt(body, "/type"), idAt(body, "/id"));
    case "github":
      return github(headers, body);
    case "shopify":
      return {
        ...named(headers.get("x-shopify-topic")?.replaceAll("/", ".") ?? null, null),
        correlationId: headers.get("x-shopify-event-id"),
      };
    case "slack":
      return slack(body);
    case "standard":
      return named(
        type ? typeBy(type, headers, body) : (textAt(body, "/type") ?? headers.get("x-webhook-event")),
        headers.get("webhook-id"),
      );
    case "hmac": {
      // Only what is signed may decide: somebody who repeats a call can change every other header.
      const signedId = verification?.idHeader === undefined ? null : headers.get(verification.idHeader);
      return named(type ? typeBy(type, headers, body) : null, dedupe ? idAt(body, dedupe.pointer) : signedId);
    }
  }
}

const named = (type: string | null, id: string | null): Content => ({
  type: type === "" ? null : type,
  dedupeId: id === "" ? null : id,
  correlationId: id,
  isEvent: true,
});

function github(headers: Headers, body: unknown): Content {
  const event = headers.get("x-github-event");
  const action = textAt(body, "/action");
  const type = event && action ? `${event}.${action}` : event;
  return { ...named(type, null), correlationId: headers.get("x-github-delivery"), isEvent: event !== "ping" };
}

function slack(body: unknown): Content {
  const outer = textAt(body, "/type");
  const challenge = outer === "url_verification" ? textAt(body, "/challenge") : null;
  const content = named(textAt(body, "/event/type") ?? outer, idAt(body, "/event_id"));
  return challenge === null ? content : { ...content, isEvent: false, challenge };
}

function typeBy(rule: TypeRule, headers: Headers, body: unknown): string | null {
  if ("fixed" in rule) return rule.fixed;
  return "header" in rule ? headers.get(rule.header) : textAt(body, rule.pointer);
}

function textAt(body: unknown, pointer: string): string | null {
  const value = valueAt(body, pointer);
  return typeof value === "string" && value !== "" ? value : null;
}

/** A text or a whole number. Numbers that lose digits when they are parsed would make two ids one. */
function idAt(body: unknown, pointer: string): string | null {
  const value = valueAt(body, pointer);
  return Number.isSafeInteger(value) ? String(value) : textAt(body, pointer);
}

/** The value at a JSON pointer (RFC 6901); undefined if there is none. */
function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, part) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      body,
    );
}
