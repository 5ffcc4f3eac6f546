/** The records of an export, whichever form the service or a tool gave it: JSON, NDJSON or CSV. */
import { replaceNumbers } from "../exact";
import { usage } from "../failure";
import { readCsv } from "./csv";
import { type Exported, Fields, isRecord } from "./fields";

/** What lists of people are called where they are not the whole document. */
const LISTS = ["users", "Users", "data", "result", "results", "rows", "records"];

/** Reads the records. Throws Failure for a text that cannot be parsed. */
export function* recordsOf(text: string): Generator<Fields> {
  for (const record of isJson(text) ? jsonRecords(text) : readCsv(text)) yield new Fields(record);
}

export const isJson = (text: string): boolean => /^\s*[[{]/.test(text);

/** An identifier of more digits than a double holds is read as text. */
const parse = (json: string): unknown => JSON.parse(replaceNumbers(json, (literal) => JSON.stringify(literal)));

/** Parses the text. Throws Failure for what is no JSON. */
export function wholeJson(text: string): unknown {
  try {
    return parse(text);
  } catch {
    throw usage("The file is not JSON.");
  }
}

function jsonRecords(text: string): Iterable<Exported> {
  const isOneLine = !/\n\s*\S/.test(text.trim());
  if (/^\s*\[/.test(text) || isOneLine) return listed(wholeJson(text));
  try {
    return listed(parse(text));
  } catch {
    return readNdjson(text).map(([, record]) => record);
  }
}

/** The records of a document: a list, an object that has one, or a single record. */
function listed(value: unknown): Exported[] {
  if (!Array.isArray(value)) {
    const list = isRecord(value) ? LISTS.map((name) => value[name]).find((one) => isList(one)) : undefined;
    return list === undefined ? [recordAt(value, 0)] : listed(list);
  }
  return value.flatMap((item, index) =>
    // Tools of databases answer with a list of results.
    isRecord(item) && Array.isArray(item.results) ? listed(item.results) : [recordAt(item, index)],
  );
}

const isList = (value: unknown): boolean =>
  Array.isArray(value) || (isRecord(value) && LISTS.some((name) => Array.isArray(value[name])));

function recordAt(value: unknown, index: number): Exported {
  if (!isRecord(value)) throw usage(`Item ${index + 1} is not a JSON object.`);
  return value;
}

/** The lines of an NDJSON text with their objects. Throws Failure for a line that is none. */
export function readNdjson(text: string): [line: string, record: Exported][] {
  return text.split(/\r\n?|\n/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    const value = parsedLine(line);
    if (!isRecord(value)) throw usage(`Line ${index + 1} is not a JSON object.`);
    return [[line, value]];
  });
}

function parsedLine(line: string): unknown {
  try {
    return parse(line);
  } catch {
    return undefined;
  }
}
