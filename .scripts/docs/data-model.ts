/** Reads what the tables of D1 say about themselves, for the page of the data model. */
import { readdirSync, readFileSync } from "node:fs";

const FOLDER = "src/base/tables";
const TABLE = /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export const \w+ = sqliteTable\(\s*"(\w+)"/g;
/** Said of many, and of no interest to a reader of the page. */
const HOW_MADE = / ?The migration creates it WITHOUT ROWID\./;

/** A table with what its rows are; "" if it does not say. */
type Row = [table: string, rows: string];

/** Returns the tables that each file declares, by the name of the file. */
export function dataModel(): Record<string, Row[]> {
  return Object.fromEntries(
    readdirSync(FOLDER).map((file) => [file.replace(".ts", ""), rowsOf(readFileSync(`${FOLDER}/${file}`, "utf8"))]),
  );
}

const rowsOf = (text: string): Row[] =>
  [...text.matchAll(TABLE)].map(([, comment = "", table = ""]) => [
    table,
    comment
      .replaceAll(/\s+(\* ?)?/g, " ")
      .replace(HOW_MADE, "")
      .trim(),
  ]);
