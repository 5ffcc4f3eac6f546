/** What stands at a place in the body of a call. */

/** The value at a JSON pointer (RFC 6901); undefined if there is none. */
export function valueAt(body: unknown, pointer: string): unknown {
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

export function textAt(body: unknown, pointer: string): string | null {
  const value = valueAt(body, pointer);
  return typeof value === "string" && value !== "" ? value : null;
}

/** A text or a whole number. Numbers that lose digits when they are parsed would make two ids one. */
export function idAt(body: unknown, pointer: string): string | null {
  const value = valueAt(body, pointer);
  return Number.isSafeInteger(value) ? String(value) : textAt(body, pointer);
}
