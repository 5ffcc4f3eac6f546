/** The document's introduction: what holds everywhere, and the tables of error codes and limits. */
import { describeCode, ERROR_CODES } from "../../errors";
import type { Rule, RuleName } from "../../ratelimit/rules";
import type { DocumentedRoute } from "./operation";

/** Markdown. */
export function overview(routes: readonly DocumentedRoute[], rules: Record<RuleName, Rule>): string {
  return `Success is \`{ data }\` or \`{ message }\`. Every failure is \`{ code, message, requestId, details? }\`: switch on \`code\`.
Unknown fields of a body are ignored.

## Error codes

${table(["Code", "Status", "Usual message"], ERROR_CODES.map(errorRow))}

## Rate limits

Counted over a sliding window. Every answer of a limited operation carries \`RateLimit-Limit\`, \`RateLimit-Remaining\` and
\`RateLimit-Reset\`, a 429 also \`Retry-After\`, in seconds.

${table(
  ["Operation", "Requests", "Seconds", "Per"],
  routes.flatMap((route) => limitRows(route, rules)),
)}
`;
}

function errorRow(code: (typeof ERROR_CODES)[number]): string[] {
  const { status, message } = describeCode(code);
  return [`\`${code}\``, String(status), message];
}

function limitRows({ method, path, docs }: DocumentedRoute, rules: Record<RuleName, Rule>): string[][] {
  return docs.flatMap(({ limit }) => {
    if (!limit) return [];
    const { limit: requests, windowSeconds } = rules[limit.rule];
    return [[`\`${method} ${path}\``, String(requests), String(windowSeconds), limit.per]];
  });
}

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly string[][]) =>
  [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
