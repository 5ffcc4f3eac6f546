/** JSON as people read it, indented. No number loses a digit, because the text is never parsed into values. */
import { jsonOf } from "../../base/json";

/** Every level of nesting adds to the indentation, so a small but deep text could grow to hundreds of megabytes. */
const MAX_INDENTED_CHARACTERS = 1_000_000;

/** A string, a bracket, a comma, a colon, or a number or word. White space between them matches nothing. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/** Returns the text indented by two spaces, or as it is if it is not JSON or would become too long. */
export function indented(text: string): string {
  const levels = text.match(/[[{]/g)?.length ?? 0;
  if (text.length * (levels + 1) > MAX_INDENTED_CHARACTERS || jsonOf(text) === undefined) return text;
  let depth = 0;
  let before = "";
  let out = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    const breaks = closes ? !"[{".includes(before) : before !== "" && "[{,".includes(before);
    out += `${breaks ? `\n${"  ".repeat(depth)}` : ""}${token}${token === ":" ? " " : ""}`;
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return out;
}
