/** Reads what the docstrings of postern/client say about its methods, for the tables of their pages. */
import { existsSync, readFileSync } from "node:fs";
import { NOUNS } from "./nouns.ts";

const FOLDER = "src/sdk/client";
const INTERFACE = /^export interface (\w+)(?:Methods|Endpoints) (?:extends \w+ )?\{$([\s\S]*?)^\}$/gm;
const METHOD = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(\w+\(.*\)): /g;

/** A method with its arguments but `CallOptions`, what it does, and what it throws. */
type Row = [method: string, does: string, throws: string];

/** Returns the methods of each noun, in the order of the alphabet. */
export function methodTables(): Record<string, Row[]> {
  const generated = readFileSync(`${FOLDER}/generated-methods.ts`, "utf8");
  return Object.fromEntries(
    Object.entries(NOUNS).map(([file, { type }]) => {
      const path = `${FOLDER}/${file}.ts`;
      const sources = [generated, existsSync(path) ? readFileSync(path, "utf8") : ""];
      const interfaces = sources
        .flatMap((source) => [...source.matchAll(INTERFACE)])
        .filter(([, name]) => name === type);
      const rows = interfaces.flatMap(([, , members = ""]) => rowsOf(members));
      return [file, rows.toSorted(([a], [b]) => a.localeCompare(b, "en"))];
    }),
  );
}

/** Of a docstring in paragraphs, the first says what the method does. */
function rowsOf(members: string): Row[] {
  return [...members.matchAll(METHOD)].map(([, docstring = "", signature = ""]) => {
    const paragraphs = docstring.split(/\n +\*\n/).map((text) => text.replaceAll(/\s+(\* )?/g, " ").trim());
    const [does = ""] = paragraphs[0]?.split(/ Throws /) ?? [];
    const [, throws = ""] = paragraphs.join(" ").split(/ Throws /);
    return [signature.replace(/(, )?options\?: CallOptions/, ""), does, throws.replace(/\.$/, "")];
  });
}
