/**
 * Subscribers receive a payload exactly as it was in the request, because parsing and serializing JSON loses digits of
 * large numbers and reorders keys. These functions find the text of a payload in JSON that has already been parsed, so
 * they do not check its syntax.
 */

interface Span {
  start: number;
  end: number;
}

/** Returns the text of the member `payload` of an event, or null if it has none. */
export function rawPayload(json: string): string | null {
  return textOf(json, membersOf(json, { start: 0, end: json.length }).get("payload"));
}

/** Returns the text of `payload` of each event in the member `events`, in order. Null where there is none. */
export function rawPayloads(json: string): (string | null)[] {
  const list = membersOf(json, { start: 0, end: json.length }).get("events");
  return list ? elementsOf(json, list).map((event) => textOf(json, membersOf(json, event).get("payload"))) : [];
}

const textOf = (json: string, span: Span | undefined) => (span ? json.slice(span.start, span.end) : null);

/** Returns the members of an object by name. The last of two with the same name counts, as in JSON.parse. */
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

/**
 * Returns the end of a value. Counts brackets in a loop, because a recursion would overflow the stack at deep nesting.
 */
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
