/** Time-ordered identifiers (RFC 9562 UUIDv7). */
import { type SQL, sql } from "drizzle-orm";
import { UUID, V7Generator } from "uuidv7";

const generator = new V7Generator();
// An id has the time of its request, also when another request of the isolate has seen a later one: what has an id of
// the future is left out of whatever is read up to now.
generator.setRollbackAllowance(0);

/** Returns a new UUIDv7. Those that an isolate makes in one millisecond rise. */
export const newId = (): string => generator.generate().toString();

/** Returns a new UUIDv7 with the timestamp `timeMs` (Unix ms). */
export function newIdAt(timeMs: number): string {
  const [a = 0, b = 0, c = 0] = crypto.getRandomValues(new Uint32Array(3));
  return UUID.fromFieldsV7(timeMs, a & 0xfff, b & 0x3fffffff, c).toString();
}

/**
 * Returns `count` new UUIDv7 with the timestamp `timeMs` (Unix ms), in rising order. The 26 bits that `deliveryIdOf`
 * takes count up from a random start, because random bits would sometimes be the same in two of a hundred ids.
 */
export function newIdsAt(timeMs: number, count: number): string[] {
  const [start = 0] = crypto.getRandomValues(new Uint32Array(1));
  const ids = Array.from({ length: count }, (_, position) => {
    const bits = (start + position) & 0x3ffffff;
    const [b = 0, c = 0] = crypto.getRandomValues(new Uint32Array(2));
    return UUID.fromFieldsV7(timeMs, bits >> 14, ((bits & 0x3fff) << 16) | (b & 0xffff), c).toString();
  });
  return ids.sort();
}

/** Returns the first characters of every UUIDv7 with the timestamp `timeMs` (Unix ms). Older ids sort before it. */
export function firstIdAt(timeMs: number): string {
  const hex = Math.max(0, timeMs).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** `firstIdAt` in SQL. */
export const firstIdAtSql = (timeMs: SQL): SQL =>
  sql`(substr(printf('%012x', ${timeMs}), 1, 8) || '-' || substr(printf('%012x', ${timeMs}), 9))`;

const hex = (digits: number) => sql.raw(`substr(lower(hex(randomblob(${digits}))), 1, ${digits})`);

/**
 * A new UUIDv7 with the timestamp `nowMs` for each row of a SELECT, as SQL. The 26 bits that `deliveryIdOf` takes count
 * up from a random start, because random bits would sometimes be the same in two of many rows.
 */
export function newIdSql(nowMs: number): SQL {
  const [start = 0] = crypto.getRandomValues(new Uint32Array(1));
  const bits = sql`(${start} + row_number() OVER ())`;
  return sql`${`${firstIdAt(nowMs)}-`} || printf('7%03x-%x%03x-', (${bits} >> 14) & 4095, 8 | ((${bits} >> 12) & 3),
    ${bits} & 4095) || ${hex(12)}`;
}

/** Returns the timestamp of a UUIDv7 in Unix ms. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * Returns the id of the delivery of an event to a subscription, as SQL: the time and the next 26 bits of the event's
 * id, and the end of the subscription's id. The same event and subscription always give the same id, so repeating a
 * publish writes nothing twice.
 */
export const deliveryIdOf = (eventId: SQL | string, subscriptionId: SQL | string) =>
  sql`substr(${eventId}, 1, 23) || '-' || substr(${subscriptionId}, 25)`;

/**
 * Returns the timestamp of the UUIDv7 in the column `id` in Unix ms, as SQL. SQLite has no function that reads
 * hexadecimal digits.
 */
export const timeOfIdSql = (id: string): SQL => {
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13].map(
    (position, index) => `((instr('0123456789abcdef', substr(${id}, ${position}, 1)) - 1) << ${44 - 4 * index})`,
  );
  return sql.raw(`(${digits.join(" + ")})`);
};
