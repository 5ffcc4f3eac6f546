/** Printing results on stdout. Progress and errors go to stderr. */

import { writeFileSync } from "node:fs";
import { stringifyExactly } from "./exact";
import { EXIT, Failure } from "./failure";

const BAR_CHARACTERS = 20;

/** Prints `result` as JSON, or `text` for people. */
export function print(json: boolean, result: unknown, text: string): void {
  process.stdout.write(`${json ? stringifyExactly(result) : text}\n`);
}

/** Tells how far the work has come, on a terminal only; "" ends it. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/** A bar that is filled as far as the work is done. */
export function bar(done: number, all: number): string {
  const filled = Math.round((BAR_CHARACTERS * done) / Math.max(1, all));
  return `[${"#".repeat(filled).padEnd(BAR_CHARACTERS, ".")}]`;
}

/** Tells people what happens, apart from the result. */
export const tell = (text: string) => void process.stderr.write(`${text}\n`);

/** Writes a file, which nobody else may read unless `mode` says so. Throws Failure for one that cannot be written. */
export function writeText(file: string, text: string, mode = 0o600): void {
  try {
    writeFileSync(file, text, { mode });
  } catch (error) {
    throw new Failure(EXIT.failed, `${file} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}
