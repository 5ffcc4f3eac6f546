/** How much memory a value holds, for caches that are bounded by it. */

/** What an object, an array, a map or a set takes, and what each of its members takes besides its value. */
const OBJECT_BYTES = 56;
const MEMBER_BYTES = 32;
const TEXT_BYTES = 24;
const BYTES_OF_CHARACTER = 2;

/**
 * Estimates the bytes of a value of plain data: rather too many than too few. What it holds in several places counts
 * once.
 */
export function heldBytes(value: unknown): number {
  const seen = new Set<object>();
  const open: unknown[] = [value];
  let bytes = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") bytes += TEXT_BYTES + BYTES_OF_CHARACTER * next.length;
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    const members = membersOf(next);
    bytes += OBJECT_BYTES + MEMBER_BYTES * members.length;
    for (const member of members) open.push(member);
  }
  return bytes;
}

function membersOf(value: object): unknown[] {
  if (value instanceof Map) return [...value].flat(1);
  if (value instanceof Set || Array.isArray(value)) return [...value];
  return Object.entries(value).flat(1);
}
