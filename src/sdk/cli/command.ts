/** What a command is made of. */
import type { ParseArgsConfig } from "node:util";
import type { Client, Fetch } from "../client";
import type { ExitCode } from "./failure";

interface Given {
  /** The arguments that are no options. */
  args: string[];
  /** The options by name, without dashes. */
  options: Record<string, string | undefined>;
  /** Whether results are printed as one JSON document. */
  json: boolean;
  /** A client of the account. */
  client: (fetch?: Fetch) => Client;
}

export interface Option {
  /** What stands for the value in the help, such as `ID`; none for a flag. */
  value?: string;
  help: string;
}

export interface Command {
  /** The arguments in the help, such as `TYPE`. */
  args?: string;
  summary: string;
  /** More about it, in the command's own help. */
  details?: string;
  options: Record<string, Option>;
  run: (given: Given) => Promise<ExitCode>;
}

/** The options of every command. */
export const COMMON: Record<string, Option> = {
  tenant: { value: "TENANT", help: "act in this tenant: an id, ext:ID of your own, or platform (platform keys)" },
  json: { help: "print the result as JSON" },
  help: { help: "show this help" },
};

/** The options as `parseArgs` takes them. */
export const parsable = (options: Record<string, Option>): NonNullable<ParseArgsConfig["options"]> =>
  Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [name, { type: value ? "string" : "boolean" } as const]),
  );
