/** Text that people give: as an argument, in a file or on standard input. */
import { constants } from "node:buffer";
import { readFileSync } from "node:fs";
import { usage } from "./failure";

const STDIN = 0;

/** Reads JSON from `given`: JSON, `@FILE`, or `-` for standard input. Throws Failure. */
export const readJson = (given: string, name: string): unknown => JSON.parse(readJsonText(given, name));

/** As `readJson`, but returns the text itself. */
export function readJsonText(given: string, name: string): string {
  const text =
    given === "-" || given.startsWith("@") ? readText(given.replace(/^@/, "")) : given.replace(/^\uFEFF/, "");
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw usage(`${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads a file, or standard input for `-`. Throws Failure for one that cannot be read or is not UTF-8. */
export function readText(path: string): string {
  const name = path === "-" ? "Standard input" : path;
  return decoded(readBytes(path === "-" ? STDIN : path, name), name);
}

function readBytes(path: string | number, name: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch {
    throw usage(`${name} cannot be read.`);
  }
}

/**
 * The text of UTF-8, without a byte order mark. Throws Failure for other encodings: a secret or a name that was read
 * wrongly would be stored so.
 */
export function decoded(bytes: Uint8Array, name: string): string {
  if (isPacked(bytes)) throw usage(`${name} is compressed. Unpack it first.`);
  if (isUtf16(bytes)) throw usage(`${name} is UTF-16. Save it as UTF-8.`);
  if (bytes.length > constants.MAX_STRING_LENGTH) throw usage(`${name} is too large. Split it.`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${name} is not UTF-8. Save it as UTF-8.`);
  }
}

/** gzip, in which Auth0 exports, or a ZIP, such as a spreadsheet. */
const isPacked = ([a, b, c]: Uint8Array): boolean =>
  (a === 0x1f && b === 0x8b) || (a === 0x50 && b === 0x4b && c === 3);

/** With its byte order mark, or without one and beginning with ASCII. */
const isUtf16 = ([a, b]: Uint8Array): boolean =>
  (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (b !== undefined && (a === 0) !== (b === 0));
