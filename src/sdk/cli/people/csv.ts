/** CSV as databases and services export it (RFC 4180). */
import { usage } from "../failure";

/** What COPY, database clients and programs write for null. */
const NULLS = new Set(["NULL", "null", String.raw`\N`, "[NULL]", "<null>", "(null)", "None", "NaN", "nan", "NaT"]);

type Cells = readonly (string | null)[];

/**
 * The records of a CSV text, by the names in its first line. Quoted fields may have commas, quotes and line ends. A
 * field that is missing or says NULL is null. Throws Failure for what is no CSV.
 */
export function* readCsv(text: string): Generator<Record<string, string | null>> {
  let names: string[] | undefined;
  let line = 0;
  for (const cells of csvRows(text)) {
    line += 1;
    if (names === undefined) names = cells.map((name) => (name ?? "").trim());
    else if (cells.slice(names.length).some((cell) => cell)) throw tooLong(line);
    else yield recordOf(names, cells);
  }
}

/** The fields by their names. Of columns with one name, as joined tables have, the first that has a value counts. */
export function recordOf(names: readonly string[], cells: Cells): Record<string, string | null> {
  const values = new Map<string, string | null>();
  for (const [index, name] of names.entries()) if (!values.get(name)) values.set(name, cells[index] ?? null);
  return Object.fromEntries(values);
}

/** One field, and what ends it. A carriage return alone ends a line, too. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"[ \t]*|([^,\r\n]*))(,|\r\n?|\n|$)/y;

/** The fields of each line that is not empty. */
export function* csvRows(text: string): Generator<Cells> {
  const field = new RegExp(FIELD);
  let row: (string | null)[] = [];
  while (field.lastIndex < text.length) {
    const start = field.lastIndex;
    const found = field.exec(text);
    if (!found || (found[1] === undefined && found[2]?.startsWith('"'))) throw badQuote(text, start);
    const [, quoted, plain = "", end] = found;
    const value = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    row.push(NULLS.has(value) ? null : value);
    if (end === "," && field.lastIndex < text.length) continue;
    if (row.length > 1 || row[0] !== "") yield row;
    row = [];
  }
}

/** A comma that should be in quotes moves the fields behind it into wrong columns. */
const tooLong = (record: number) =>
  usage(`Record ${record} has more fields than the first line has names. In CSV, a field with a comma is in quotes.`);

function badQuote(text: string, at: number) {
  const line = text.slice(0, at).split(/\r\n?|\n/).length;
  return usage(`Line ${line} has a quote that does not end, or text behind it. In CSV, a quote in a field is doubled.`);
}
