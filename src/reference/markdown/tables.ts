/** Tables generated from the code, so that the pages cannot fall behind it. A page places one with `<!-- table: errors -->`. */
import { SETTINGS } from "../../config";
import { describeCode, ERROR_CODES } from "../../errors";
import { LOG_FIELDS } from "../../log-fields";
import { FAIL_CLOSED, MAIL_RULES, type Rule, type RuleName } from "../../ratelimit/rules";
import { ADVICE } from "./error-advice";

/** A rate-limited endpoint and what its limit counts by, such as "IP address". */
export interface LimitedEndpoint {
  endpoint: string;
  rule: RuleName;
  per: string;
}

/** What the tables need besides constants: the limits in force and the endpoints they apply to. */
export interface Facts {
  rules: Record<RuleName, Rule>;
  limited: readonly LimitedEndpoint[];
}

const PLACEHOLDER = /<!-- table: ([a-z-]+)[^>]*-->/g;

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
      ["Name", "Requests", "Window in seconds", "Per", "Endpoints", "If the rate limiter fails"],
      (Object.keys(rules) as RuleName[]).map((name) => {
        const endpoints = limited.filter(({ rule }) => rule === name);
        const isMail = MAIL_RULES.has(name);
        return [
          `\`${name}\``,
          String(rules[name].limit),
          String(rules[name].windowSeconds),
          isMail ? "email address" : [...new Set(endpoints.map(({ per }) => per))].join(", "),
          isMail ? "mails; the others are not sent" : endpoints.map(({ endpoint }) => `\`${endpoint}\``).join(" "),
          isMail ? "sent later" : FAIL_CLOSED.has(name) ? "503" : "allowed",
        ];
      }),
    ),
  settings: () =>
    table(
      ["Name", "Purpose", "Must"],
      SETTINGS.map(({ name, description, must }) => [`\`${name}\``, description, must]),
    ),
  "log-fields": () =>
    table(
      ["Field", "Meaning"],
      Object.entries(LOG_FIELDS).map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
};

/** Replaces each placeholder in `markdown` with its table. Throws on an unknown table name. */
export function withTables(markdown: string, facts: Facts): string {
  return markdown.replaceAll(PLACEHOLDER, (_placeholder, name: string) => {
    const make = TABLES[name];
    if (!make) throw new Error(`no table ${name}`);
    return make(facts);
  });
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
