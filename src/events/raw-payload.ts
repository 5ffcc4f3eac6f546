/**
 * Payloads go out as the bytes that stood in the request: parsing and writing JSON again would lose digits of large numbers and reorder
 * keys. These functions find the text of a value inside a JSON text that is known to be valid, so they only skip and never check.
 */

interface Span {
  start: number;
  end: number;
}

/** The text of the member `payload` of an event, and of each event in `events`. Null where there is none. */
export function rawPayload(json: string): string | null {
  return textOf(json, membersOf(json, { start: 0, end: json.length }).get("payload"));
}

/** The text of the member `payload` of each event in the member `events`, in order. */
export function rawPayloads(json: string): (string | null)[] {
  const list = membersOf(json, { start: 0, end: json.length }).get("events");
  return list ? elementsOf(json, list).map((event) => textOf(json, membersOf(json, event).get("payload"))) : [];
}

const textOf = (json: string, span: Span | undefined) => (span ? json.slice(span.start, span.end) : null);

/** The members of an object by name; of two with one name the last counts, as in JSON.parse. */
function membersOf(json: string, object: Span): Map<string, Span> {
  const members = new Map<string, Span>();
  let at = skipSpace(json, skipSpace(json, object.start) + 1);
  while (json[at] === '"') {
    const nameEnd = skipString(json, at);
    const name = JSON.parse(json.slice(at, nameEnd)) as string;
    const start = skipSpace(json, skipSpace(json, nameEnd) + 1);
    const end = skipValue(json, start);
    members.set(name, { start, end });
    at = skipSpace(json, end);
    if (json[at] === ",") at = skipSpace(json, at + 1);
  }
  return members;
}

function elementsOf(json: string, list: Span): Span[] {
  const elements: Span[] = [];
  let at = skipSpace(json, list.start + 1);
  while (at < list.end && json[at] !== "]") {
    const end = skipValue(json, at);
    elements.push({ start: at, end });
    at = skipSpace(json, end);
    if (json[at] === ",") at = skipSpace(json, at + 1);
  }
  return elements;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (at < json.length && " \t\n\r".includes(json.charAt(at))) at += 1;
  return at;
}

function skipString(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** Counts brackets instead of recursing, so that deep nesting costs no stack. */
function skipValue(json: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < json.length) {
    const character = json.charAt(at);
    if (character === '"') at = skipString(json, at);
    else if (character === "{" || character === "[") {
      depth += 1;
      at += 1;
    } else if (character === "}" || character === "]") {
      if (depth === 0) return at;
      depth -= 1;
      at += 1;
    } else if (depth === 0 && (character === "," || " \t\n\r".includes(character))) return at;
    else at += 1;
    if (depth === 0 && (character === '"' || character === "}" || character === "]")) return at;
  }
  return at;
}
