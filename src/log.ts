/** One JSON line per happening. Fields whose names speak of secrets are blanked, whatever the caller passes. */

const SECRET_NAME = /password|secret|token|authorization|cookie|api_?key|totp|signature/i;

type Level = "info" | "warn" | "error";
export type LogFields = Record<string, string | number | boolean | null | undefined>;

/** Writes one line; `message` is a fixed phrase to search for, everything that varies goes into `fields`. */
export function log(level: Level, message: string, fields: LogFields = {}): void {
  const safe = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, SECRET_NAME.test(name) && value ? "[redacted]" : value]),
  );
  const line = JSON.stringify({ level, message, ...safe });
  if (level === "error") console.error(line);
  else if (level === "warn") console.warn(line);
  else console.log(line);
}

/**
 * Name, message and stack of an unexpected error. drizzle's messages hold parameter values (password hashes, tokens),
 * so of its errors only the database's own cause is told.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  if (error.name === "DrizzleQueryError" || error.message.startsWith("Failed query")) {
    const cause = error.cause instanceof Error ? error.cause.message : "unknown";
    return { error: "database", cause };
  }
  return { error: error.name, cause: error.message, stack: error.stack };
}
