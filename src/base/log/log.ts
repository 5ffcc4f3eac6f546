/**
 * Structured logging, one JSON object per line. Fields with the name of a secret are redacted, whatever the caller
 * passes.
 */

import type { LOG_FIELDS } from "./log-fields";
import { LOG_LEVELS, type LogLevel } from "./log-levels";
import type { LevelOf, LogMessage } from "./log-lines";

const SECRET_NAME = /password|secret|token|authorization|cookie|api_?key|totp|signature/i;

/**
 * The forms of access tokens, API keys, secrets and refresh tokens of apps, mailed tokens, digests and signing secrets,
 * to redact them in the texts of unexpected errors.
 */
const SECRET_FORM = /eyJ[\w-]+\.[\w-]+\.[\w-]+|(?:ak|pcs)_[0-9A-Za-z]{8,}|por_[\w.-]+|[0-9a-f]{64}|whsec_[^\s"]+/g;

/** Of the message and the stack of an error: SECRET_FORM reads some texts again from each of their places. */
const MAX_TEXT_CHARACTERS = 8_000;

let lowest: LogLevel = "info";

/** Lines below `level` are not written, in this isolate. */
export function setLogLevel(level: LogLevel): void {
  lowest = level;
}

export type LogFields = Partial<Record<keyof typeof LOG_FIELDS, string | number | boolean | null | undefined>>;

/** Writes a line of the table in log-lines.ts, at a level that it has there. What varies is in `fields`. */
export function log<M extends LogMessage>(level: LevelOf<M>, message: M, fields: LogFields = {}): void {
  if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(lowest)) return;
  const safe: Record<string, unknown> = { level, message };
  for (const [name, value] of Object.entries(fields)) {
    safe[name] = SECRET_NAME.test(name) && value ? "[redacted]" : value;
  }
  const line = JSON.stringify(safe);
  if (level === "error") console.error(line);
  else if (level === "warn") console.warn(line);
  else console.log(line);
}

/**
 * The name, message and stack of an unexpected error, as log fields. drizzle puts parameter values such as password
 * hashes into its messages, so for its errors only the message of the database is returned.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  if (error.name === "DrizzleQueryError" || error.message.startsWith("Failed query")) {
    const cause = error.cause instanceof Error ? error.cause.message : "unknown";
    return { error: "database", cause };
  }
  const safe = (text = "") => text.slice(0, MAX_TEXT_CHARACTERS).replaceAll(SECRET_FORM, "[redacted]");
  return { error: error.name, cause: safe(error.message), stack: safe(error.stack) };
}
