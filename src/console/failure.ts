/** Errors as the console shows them, and the validation of forms with the API's schemas. */
import type * as z from "zod";
import type { ZodType } from "zod";
import { type AppError, invalid } from "../base/errors";
import { knownText } from "../base/texts/known";
import { isTextKey, type Language } from "../base/texts/texts";
import { inputOf } from "../webhooks/options/delivery-options";
import { type Term, worded } from "./wording";

/** An error for a page: its message, and a message for each field that is wrong. */
export interface Failure {
  message: string;
  fields: Readonly<Record<string, string>>;
}

/** Fields that have another name in a form than in the API. */
const FIELDS: Record<string, string> = {
  since: "period",
  eventTypes: "types",
  ratePerMinute: "rate",
  rules: "roles.rules",
};

/** The forms of sources, catalogues, portal links and connections name these fields as the API does. */
const AS_IN_API = ["verification.", "catalog.", "theme.", "oidc.", "attributes.", "signOn."];

/** The form's field for a path of the API's body. */
function fieldOf(path: string): string {
  if (AS_IN_API.some((prefix) => path.startsWith(prefix))) return path;
  if (/^(?:roles|session|saml)\./.test(path)) return path.split(".", 2).join(".");
  const name = path.split(".")[0] ?? "";
  return inputOf(path) ?? FIELDS[name] ?? name;
}

/** Rewrites an API error for people. An error at `events.2` belongs to the field `events`. */
export function failureOf({ code, message, details = [], headers }: AppError): Failure {
  const fields: Record<string, string> = {};
  for (const { path, message: reason } of details) fields[fieldOf(path)] ??= reason;
  const retrySeconds = Number(headers["Retry-After"]);
  if (retrySeconds > 0) {
    return { message: message.replace("Try again later.", `Try again in ${formatWait(retrySeconds)}.`), fields };
  }
  return { message: code === "VALIDATION_FAILED" ? "Please correct the marked fields." : message, fields };
}

/** The error in the language of the page, with its word for a subscription. */
export const inWordsOf = ({ term, texts }: Words, { failure: { message, fields }, error }: Told): Failure => ({
  message: knownText(texts, "problem", message) ?? translated(error?.code, texts) ?? worded(message, term),
  fields: Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [name, knownText(texts, "problem", text) ?? worded(text, term)]),
  ),
});

interface Words {
  term: Term;
  texts: Language;
}

interface Told {
  failure: Failure;
  error?: AppError;
}

/** In English, an error says more than its code. */
function translated(code: string | undefined, texts: Language): string | undefined {
  const key = `error.${code}`;
  return texts.locale !== "en" && isTextKey(key) ? texts.say(key) : undefined;
}

function formatWait(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** Validates a form with a schema of the API. Throws VALIDATION_FAILED with messages for people. */
export function parse<T extends ZodType>(schema: T, fields: unknown): z.output<T> {
  const result = schema.safeParse(fields, { error: messageFor });
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

function messageFor(issue: Issue): string | undefined {
  if (issue.origin === "number" || issue.origin === "int") {
    if (issue.code === "too_small") return `Must be at least ${issue.minimum}`;
    if (issue.code === "too_big") return `Must be at most ${issue.maximum}`;
  }
  if (issue.code === "invalid_union") return "Is not valid";
  if (issue.code === "too_small") return issue.origin === "array" ? "Enter at least one" : "Must not be empty";
  if (issue.code === "too_big") {
    return issue.origin === "array" ? `At most ${issue.maximum}` : `At most ${issue.maximum} characters`;
  }
  if (issue.code === "invalid_format" && issue.format === "email") return "Must be an email address";
  if (issue.code === "invalid_value") return "Choose one from the list";
  if (issue.code === "invalid_type") return issue.input === undefined ? "Must not be empty" : "Is not valid";
  return undefined;
}
