/** Splits a file of SQL, of any size, into its statements. */

/** What opens a part in which a semicolon ends nothing, and what closes it. */
const CLOSERS: Record<string, string> = { "'": "'", '"': '"', "`": "`", "--": "\n", "/*": "*/" };
const OPENER = /['"`;]|--|\/\*/g;

/** Yields each statement with its semicolon. What is left at the end of the file comes last, if there is anything. */
export async function* statementsOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let text = "";
  let scanned = 0;
  let closer: string | undefined;
  for await (const chunk of chunks) {
    text += chunk;
    for (;;) {
      if (closer !== undefined) {
        const end = text.indexOf(closer, scanned);
        scanned = end < 0 ? Math.max(scanned, text.length - 1) : end + closer.length;
        if (end < 0) break;
        closer = undefined;
      }
      OPENER.lastIndex = scanned;
      const found = OPENER.exec(text);
      // The last character may be the first half of a comment's opener.
      scanned = found ? OPENER.lastIndex : Math.max(scanned, text.length - 1);
      if (!found) break;
      closer = CLOSERS[found[0]];
      if (closer !== undefined || isWithinTrigger(text.slice(0, scanned))) continue;
      yield text.slice(0, scanned).trim();
      text = text.slice(scanned);
      scanned = 0;
    }
  }
  if (text.trim() !== "") yield text.trim();
}

/** A trigger has statements of its own, up to the `END` that belongs to its `BEGIN`. */
function isWithinTrigger(statement: string): boolean {
  if (!/^\s*CREATE\s+(TEMP\s+|TEMPORARY\s+)?TRIGGER\b/i.test(statement)) return false;
  const code = statement.replace(/'[^']*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\//g, "");
  const count = (words: RegExp) => code.match(words)?.length ?? 0;
  return count(/\b(BEGIN|CASE)\b/gi) > count(/\bEND\b/gi);
}
