/** The people of a file as the lines that are sent. */
import { parseExactly, stringifyExactly } from "../exact";
import { EXIT, Failure, usage } from "../failure";
import { tell } from "../output";
import { auth0 } from "./auth0";
import { betterAuth } from "./better-auth";
import { clerk } from "./clerk";
import { cognito } from "./cognito";
import type { Converter, LeaveOut } from "./converter";
import { firebase } from "./firebase";
import { csvWith } from "./generic-csv";
import { keycloak } from "./keycloak";
import { readOwnLines } from "./own-lines";
import { supabase } from "./supabase";

const CONVERTERS: Readonly<Record<string, Converter>> = {
  auth0,
  clerk,
  firebase,
  supabase,
  "better-auth": betterAuth,
  cognito,
  keycloak,
};
export const SOURCES = [...Object.keys(CONVERTERS), "csv", "postern"];

const MAX_LINE_BYTES = 64 * 1024;

type Options = Readonly<Record<string, string | undefined>>;

/**
 * Returns what reads the lines of a file, each person in the tenant that the options name. It tells what cannot come
 * along, and throws Failure for a file that cannot be parsed or has nobody in it. Throws Failure for wrong options.
 */
export function linesWith(options: Options): (text: string) => string[] {
  const read = readerOf(options);
  const join = joining(options);
  return (text) => {
    const left = new Map<string, number>();
    const leaveOut = (what: string) => void left.set(what, (left.get(what) ?? 0) + 1);
    const lines = withoutLong(read(text, leaveOut), join, leaveOut);
    for (const [what, count] of left) tell(`Left out: ${what} (${count})`);
    if (lines.length === 0) {
      if (left.size === 0) throw usage("The file has nobody in it.");
      throw new Failure(EXIT.failed, "Nobody in the file can be imported.");
    }
    return lines;
  };
}

type Reader = (text: string, leaveOut: LeaveOut) => Iterable<string>;

function readerOf({ from = "", columns }: Options): Reader {
  if (columns !== undefined && from !== "csv") throw usage("--columns belongs to --from csv.");
  if (from === "postern") return readOwnLines;
  const converter = Object.hasOwn(CONVERTERS, from) ? CONVERTERS[from] : from === "csv" ? csvWith(columns) : undefined;
  if (!converter) throw usage(`--from is ${SOURCES.join(", ")}.`);
  return function* (text, leaveOut) {
    for (const person of converter(text, leaveOut)) yield JSON.stringify(person);
  };
}

/** Puts a person into the tenant that the options name. */
function joining({ tenant, role }: Options): (line: string) => string {
  if ((tenant === undefined) !== (role === undefined)) throw usage("Give --tenant and --role together.");
  if (tenant === undefined) return (line) => line;
  return (line) => {
    const person = parseExactly(line) as { memberships?: unknown };
    const others = Array.isArray(person.memberships) ? person.memberships : [];
    return stringifyExactly({ ...person, memberships: [...others, { tenant, role }] });
  };
}

/** The service would refuse a whole part for a line that is too long. */
function withoutLong(lines: Iterable<string>, join: (line: string) => string, leaveOut: LeaveOut): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    const joined = join(line);
    if (Buffer.byteLength(joined) <= MAX_LINE_BYTES) kept.push(joined);
    else leaveOut("people of more than 64 KiB");
  }
  return kept;
}
