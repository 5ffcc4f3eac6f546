/** Log lines as people read them: "warn  mail not sent  mailKind=verification". Programs read the JSON. */

/** Returns the line for a terminal; the text itself if it is no log line of ours. */
export function readable(text: string): string {
  const line = objectIn(text);
  if (typeof line?.level !== "string" || typeof line.message !== "string") return text;
  const { level, message, ...fields } = line;
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${wordOf(value)}`);
  return [level.padEnd(5), message, ...shown].join("  ");
}

const wordOf = (value: unknown): string =>
  typeof value === "string" && /^\S+$/.test(value) ? value : JSON.stringify(value);

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? { ...value } : null;
  } catch {
    return null;
  }
}
