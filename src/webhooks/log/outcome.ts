/** The outcome of an attempt in words: its status with the standard text, or why there was no answer. */
import type { TextKey } from "../../base/texts/en";
import type { Language } from "../../base/texts/texts";
import { ABORTED, CONNECTION_FAILED, CONNECTION_LOST, GONE, TIMED_OUT } from "../plane/reasons";

/** The names of the statuses that receivers answer with (IANA's registry). */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

const ERROR_TEXTS: Readonly<Record<string, TextKey>> = {
  [TIMED_OUT]: "outcome.timedOut",
  [CONNECTION_LOST]: "outcome.lost",
  [CONNECTION_FAILED]: "outcome.noConnection",
  [ABORTED]: "outcome.aborted",
};

/** "500 Internal Server Error", or the number alone. */
const statusText = (status: number): string =>
  STATUS_TEXTS[status] === undefined ? String(status) : `${status} ${STATUS_TEXTS[status]}`;

/** The `error` of an attempt for people. */
export function errorText(texts: Language, error: string): string {
  if (error === GONE) return statusText(410);
  const [, status] = /^status (\d+)$/.exec(error) ?? [];
  if (status !== undefined) return statusText(Number(status));
  const key = ERROR_TEXTS[error];
  return key === undefined ? error : texts.say(key);
}

interface Outcome {
  status: "pending" | "success" | "failed";
  responseCode?: number | null | undefined;
  error?: string | null | undefined;
}

/** The outcome in a few words; empty for a success without a status. */
export function outcomeOf(texts: Language, { status, responseCode, error }: Outcome): string {
  if (error) return errorText(texts, error);
  if (responseCode) return statusText(responseCode);
  return status === "pending" ? texts.say("outcome.inProgress") : "";
}
