/** People as `POST /platform/imports` takes them. */
import { parseExactly, stringifyExactly } from "../exact";
import { usage } from "../failure";
import { notUnderstood } from "./converter";
import { isRecord } from "./fields";
import { readNdjson } from "./records";

/** The lines as they are written, or those of a JSON list. Throws Failure for what is neither, or has no address. */
export function* readOwnLines(text: string): Generator<string> {
  let first: Readonly<Record<string, unknown>> | undefined;
  let hasAddresses = false;
  for (const [line, person] of /^\s*\[/.test(text) ? listed(text) : readNdjson(text)) {
    first ??= person;
    hasAddresses ||= Object.hasOwn(person, "email");
    yield line;
  }
  if (first && !hasAddresses) throw notUnderstood(["email"], Object.keys(first));
}

function* listed(text: string): Generator<[string, Readonly<Record<string, unknown>>]> {
  for (const [index, person] of listOf(text).entries()) {
    if (!isRecord(person)) throw usage(`Item ${index + 1} is not a JSON object.`);
    yield [stringifyExactly(person), person];
  }
}

function listOf(text: string): unknown[] {
  try {
    return parseExactly(text) as unknown[];
  } catch {
    throw usage("The file is not JSON.");
  }
}
