/** CSV as databases and services export it (RFC 4180). */

/** The records of a CSV text, by the names in its first line. Quoted fields may have commas, quotes and line feeds. */
export function* readCsv(text: string): Generator<Record<string, string>> {
  let names: string[] | undefined;
  for (const fields of rowsOf(text)) {
    if (fields.length === 1 && fields[0] === "") continue;
    if (names === undefined) names = fields.map((name) => name.trim());
    else yield Object.fromEntries(names.map((name, index) => [name, fields[index] ?? ""]));
  }
}

/** One field, and what ends it. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function* rowsOf(text: string): Generator<string[]> {
  const field = new RegExp(FIELD);
  field.lastIndex = text.startsWith("\uFEFF") ? 1 : 0;
  let row: string[] = [];
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (!found) throw new Error("a quote that does not end");
    const [, quoted, plain = "", end] = found;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    yield row;
    row = [];
  }
  if (row.length > 0) yield [...row, ""];
}
