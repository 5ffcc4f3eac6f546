/** The tables that pages show, made from what the code does. A page names one in a comment: `<!-- table: errors -->`. */
import { SETTINGS } from "../../config";
import { describeCode, ERROR_CODES } from "../../errors";
import { LOG_FIELDS } from "../../log-fields";
import { FAIL_CLOSED, type Rule, type RuleName } from "../../ratelimit/rules";
import { ADVICE } from "./advice";

/** An endpoint under a limit, and what is counted. */
interface LimitedEndpoint {
  endpoint: string;
  rule: RuleName;
  per: string;
}

/** What the tables are made from, apart from constants. */
export interface Facts {
  rules: Record<RuleName, Rule>;
  limited: readonly LimitedEndpoint[];
}

const MARK = /<!-- table: ([a-z-]+)[^>]*-->/g;

const TABLES: Record<string, (facts: Facts) => string> = {
  errors: () =>
    table(
      ["Status", "Code", "Message", "What to do"],
      ERROR_CODES.map((code) => {
        const { status, message } = describeCode(code);
        return [String(status), `\`${code}\``, message, ADVICE[code]];
      }),
    ),
  limits: ({ rules, limited }) =>
    table(
      ["Name", "Requests", "In seconds", "Per", "Endpoints", "If the limiter fails"],
      (Object.keys(rules) as RuleName[]).map((name) => {
        const under = limited.filter(({ rule }) => rule === name);
        return [
          `\`${name}\``,
          String(rules[name].limit),
          String(rules[name].windowSeconds),
          [...new Set(under.map(({ per }) => per))].join(", "),
          under.map(({ endpoint }) => `\`${endpoint}\``).join(" "),
          FAIL_CLOSED.has(name) ? "503" : "passes",
        ];
      }),
    ),
  settings: () =>
    table(
      ["Name", "What it does", "Must"],
      SETTINGS.map(({ name, does, must }) => [`\`${name}\``, does, must]),
    ),
  "log-fields": () =>
    table(
      ["Field", "What it tells"],
      Object.entries(LOG_FIELDS).map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
};

/** Puts tables in the places of their marks. Throws on a mark of an unknown table. */
export function withTables(markdown: string, facts: Facts): string {
  return markdown.replaceAll(MARK, (_mark, name: string) => {
    const make = TABLES[name];
    if (!make) throw new Error(`no table ${name}`);
    return make(facts);
  });
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
