/** The help texts, made of the commands. */
import { COMMON, type Command, type Option } from "./command";

const COLUMN = 28;

/** The list of commands. */
export const overview = (commands: Record<string, Command>): string =>
  [
    "postern: sign-in and webhooks for multi-tenant products",
    "",
    "Usage: postern COMMAND [OPTIONS]",
    "",
    ...Object.entries(commands).map(([name, { args = "", summary }]) => row(`${name} ${args}`.trim(), summary)),
    "",
    "postern COMMAND --help tells more, postern --version the version.",
    "The service and the key come from POSTERN_URL and POSTERN_KEY, or from postern login.",
    "Exit status: 0 done, 1 failed or items were refused, 2 wrong usage, 3 not signed in, 4 service not reached.",
  ].join("\n");

/** What `postern COMMAND --help` prints. */
export const helpOf = (name: string, { args = "", summary, details, options }: Command): string =>
  [
    summary,
    "",
    `Usage: postern ${name} ${args ? `${args} ` : ""}[OPTIONS]`,
    "",
    ...(details ? [details, ""] : []),
    // A command can say what an option means to it.
    ...Object.entries({ ...options, ...COMMON, ...options }).map(optionRow),
  ].join("\n");

const optionRow = ([name, { value, help }]: [string, Option]) => row(`--${name}${value ? ` ${value}` : ""}`, help);

const row = (left: string, right: string) => `  ${left.padEnd(COLUMN)}  ${right}`;
