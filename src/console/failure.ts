/** A refusal as a page shows it, and a form's fields as the schemas of the API want them. */
import type { ZodType, z } from "zod";
import { type AppError, invalid } from "../errors";

/** What went wrong: a sentence, and for each field that it is about why. */
export interface Failure {
  message: string;
  fields: Readonly<Record<string, string>>;
}

/** `events.2` is about the field `events`. */
export function failureOf({ code, message, details = [], headers }: AppError): Failure {
  const fields: Record<string, string> = {};
  for (const { path, message: why } of details) fields[path.split(".")[0] ?? ""] ??= why;
  const retrySeconds = Number(headers["Retry-After"]);
  if (retrySeconds > 0) {
    return { message: message.replace("Try again later.", `Try again in ${waiting(retrySeconds)}.`), fields };
  }
  return { message: code === "VALIDATION_FAILED" ? "Please correct the marked fields." : message, fields };
}

function waiting(seconds: number): string {
  if (seconds < 90) return `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** Parses a form by a schema of the API. Throws VALIDATION_FAILED with words for people. */
export function parse<T extends ZodType>(schema: T, fields: unknown): z.output<T> {
  const result = schema.safeParse(fields, { error: plainWords });
  if (!result.success) throw invalid(result.error);
  return result.data;
}

interface Issue {
  code?: string | undefined;
  origin?: unknown;
  minimum?: unknown;
  maximum?: unknown;
  format?: unknown;
  input?: unknown;
}

function plainWords(issue: Issue): string | undefined {
  if (issue.code === "too_small") return issue.origin === "array" ? "Give at least one" : "Must not be empty";
  if (issue.code === "too_big") {
    return issue.origin === "array" ? `At most ${issue.maximum}` : `At most ${issue.maximum} characters`;
  }
  if (issue.code === "invalid_format" && issue.format === "email") return "Must be an email address";
  if (issue.code === "invalid_value") return "Choose one of the list";
  if (issue.code === "invalid_type") return issue.input === undefined ? "Must not be empty" : "Is not valid";
  return undefined;
}
