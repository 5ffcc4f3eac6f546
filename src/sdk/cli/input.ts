/** JSON from an argument, a file or standard input. */
import { readFileSync } from "node:fs";
import { usage } from "./failure";

const STDIN = 0;

/** Parses `given`: JSON, `@FILE`, or `-` for standard input. Throws Failure for what is no JSON or cannot be read. */
export function readJson(given: string, name: string): unknown {
  const text = given === "-" ? readFileSync(STDIN, "utf8") : given.startsWith("@") ? readText(given.slice(1)) : given;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage(`${name} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Reads a file. Throws Failure for one that cannot be read. */
export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw usage(`${path} cannot be read.`);
  }
}
