/**
 * The rows of a copy, in statements that D1 takes: their text stays short, whatever the rows hold, because all values
 * are parameters. Documented limits: https://developers.cloudflare.com/d1/platform/limits/.
 */
import type { SQLOutputValue } from "node:sqlite";
import { type CopyOfDatabase, quoted } from "./copy-of-database.ts";

/** Of a page's values: as JSON they take at most six times as much, and D1 takes 2 MB a parameter. */
const PAGE_BYTES = 250_000;
/** A longer value is a parameter of its own, so that no escape of JSON makes it too long. */
const LONG_CHARACTERS = 50_000;
const MAX_PARAMETER_BYTES = 2_000_000;

export interface Page {
  /** Returns `bytes` of each row: the sum over its values. */
  sql: string;
  params: string[];
  rows: number;
  /** Of all rows. */
  bytes: number;
}

/** A row in the copy. */
interface Row {
  values: SQLOutputValue[];
  bytes: number;
}

/** Yields the pages of a table. Throws for a value that no parameter of D1 can hold. */
export function* pagesOf(copy: CopyOfDatabase, table: string): Generator<Page> {
  const target = { table, columns: copy.columns(table) };
  let page: Row[] = [];
  let characters = 0;
  for (const row of rowsOf(copy, target)) {
    if (row.values.some(isLong)) {
      yield pageOfLongRow(target, row);
      continue;
    }
    page.push(row);
    characters += row.bytes;
    if (characters < PAGE_BYTES) continue;
    yield pageOf(target, page);
    page = [];
    characters = 0;
  }
  if (page.length > 0) yield pageOf(target, page);
}

interface Target {
  table: string;
  columns: readonly string[];
}

function* rowsOf(copy: CopyOfDatabase, { table, columns }: Target): Generator<Row> {
  const query = copy.data.prepare(`SELECT ${columns.map(quoted)}, ${bytesOf(columns)} FROM ${quoted(table)}`);
  query.setReadBigInts(true);
  query.setReturnArrays(true);
  for (const values of query.iterate() as Iterable<unknown> as Iterable<SQLOutputValue[]>) {
    yield { bytes: Number(values.pop()), values };
  }
}

const bytesOf = (columns: readonly string[]): string =>
  columns.map((name) => `coalesce(octet_length(${quoted(name)}), 0)`).join(" + ");

const isLong = (value: SQLOutputValue): boolean =>
  (typeof value === "string" || value instanceof Uint8Array) && value.length > LONG_CHARACTERS;

const pageOf = (target: Target, rows: readonly Row[]): Page => ({
  sql: insert(
    target,
    target.columns.map((_, index) => fromJson(index)),
  ),
  params: [`[${rows.map(({ values }) => jsonOf(values)).join(",")}]`],
  rows: rows.length,
  bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** Each long value is a parameter, after the others as JSON. */
function pageOfLongRow(target: Target, { values, bytes }: Row): Page {
  const { table, columns } = target;
  const long: string[] = [];
  const expressions = values.map((value, index) => {
    if (!isLong(value)) return fromJson(index);
    const number = long.push(hexOrText(value)) + 1;
    if (Buffer.byteLength(long.at(-1) ?? "") > MAX_PARAMETER_BYTES)
      throw new Error(`${table}.${columns[index]} has a value that is too long for a parameter of D1.`);
    return value instanceof Uint8Array ? `unhex(?${number})` : `?${number}`;
  });
  const others = values.map((value) => (isLong(value) ? null : value));
  return { sql: insert(target, expressions), params: [`[${jsonOf(others)}]`, ...long], rows: 1, bytes };
}

const hexOrText = (value: SQLOutputValue): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value);

/** `REPLACE`, so that a page whose answer was lost can be sent again. */
const insert = ({ table, columns }: Target, values: readonly string[]): string =>
  `INSERT OR REPLACE INTO ${quoted(table)} (${columns.map(quoted)}) SELECT ${values} FROM json_each(?1)
   WHERE true RETURNING ${bytesOf(columns)} AS bytes`;

/** A BLOB stands in an array of its own, as hexadecimal digits. */
const fromJson = (index: number): string =>
  `CASE json_type(value, '$[${index}]') WHEN 'array' THEN unhex(json_extract(value, '$[${index}][0]')) ` +
  `ELSE json_extract(value, '$[${index}]') END`;

const jsonOf = (values: readonly SQLOutputValue[]): string => `[${values.map(jsonOfValue).join(",")}]`;

function jsonOfValue(value: SQLOutputValue): string {
  if (value instanceof Uint8Array) return `["${hexOrText(value)}"]`;
  // As many digits as it has: SQLite reads an integer of 64 bits from them, and a real from those with a point.
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isInteger(value) ? value.toFixed(1) : String(value);
  return JSON.stringify(value);
}
