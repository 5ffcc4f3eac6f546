#!/usr/bin/env node
/** The command line: finds the command, reads its options, and exits with its code. */
import { parseArgs } from "node:util";
import { version } from "../../../package.json";
import { loadAccount } from "./account";
import { clientOf } from "./client-of-account";
import { COMMON, type Command, parsable } from "./command";
import { EXIT, type ExitCode, failureOf, usage } from "./failure";
import { helpOf, overview } from "./help";
import { importEndpoints } from "./import-endpoints";
import { importPeople } from "./import-people";
import { listen } from "./listen";
import { login } from "./login";
import { logout } from "./logout";
import { publish } from "./publish";
import { tail } from "./tail";
import { types } from "./types";

const COMMANDS: Record<string, Command> = {
  login,
  logout,
  publish,
  tail,
  types,
  listen,
  "import people": importPeople,
  "import endpoints": importEndpoints,
};

async function main(argv: readonly string[]): Promise<ExitCode> {
  if (argv.length === 0 || argv[0] === "--help") return say(overview(COMMANDS));
  if (argv[0] === "--version") return say(version);
  const name = Object.keys(COMMANDS).find((known) => known === argv.slice(0, known.split(" ").length).join(" "));
  const command = name === undefined ? undefined : COMMANDS[name];
  if (name === undefined || !command) throw usage(`Unknown command: ${argv[0]}. postern --help lists them.`);
  const { values, positionals } = parsed(command, argv.slice(name.split(" ").length));
  if (values.help) return say(helpOf(name, command));
  const { json, tenant } = values;
  return command.run({
    args: positionals,
    options: Object.fromEntries(Object.entries(values).map(([option, value]) => [option, String(value)])),
    json: json === true,
    client: (fetch) => clientOf(loadAccount(), typeof tenant === "string" ? tenant : undefined, fetch),
  });
}

function say(text: string): ExitCode {
  process.stdout.write(`${text}\n`);
  return EXIT.ok;
}

function parsed(command: Command, args: string[]) {
  try {
    return parseArgs({ args, options: parsable({ ...command.options, ...COMMON }), allowPositionals: true });
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const failure = failureOf(error);
  process.stderr.write(`${failure.message}\n`);
  process.exitCode = failure.exitCode;
}
