/** Reads what the docstrings of postern/client say about its methods, for the tables of their pages. */
import { readdirSync, readFileSync } from "node:fs";

const FOLDER = "src/sdk/client";
const METHODS = /^export interface \w+Methods \{$([\s\S]*?)^\}$/m;
const METHOD = /\/\*\*([\s\S]*?)\*\/\n {2}(\w+\(.*\)): /g;

/** A method with its arguments but `CallOptions`, what it does, and what it throws. */
type Row = [method: string, does: string, throws: string];

/** Returns the methods of each noun, by the name of its file. */
export function clientMethods(): Record<string, Row[]> {
  const nouns = readdirSync(FOLDER).flatMap((file): [string, Row[]][] => {
    const [, members] = readFileSync(`${FOLDER}/${file}`, "utf8").match(METHODS) ?? [];
    return members ? [[file.replace(".ts", ""), rowsOf(members)]] : [];
  });
  return Object.fromEntries(nouns);
}

function rowsOf(members: string): Row[] {
  return [...members.matchAll(METHOD)].map(([, docstring = "", signature = ""]) => {
    const text = docstring.replaceAll(/\s+(\* )?/g, " ").trim();
    const [does = "", throws = ""] = text.split(" Throws ");
    return [signature.replace(/(, )?options\?: CallOptions/, ""), does, throws.replace(/\.$/, "")];
  });
}
