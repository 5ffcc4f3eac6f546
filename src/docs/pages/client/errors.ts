import { PosternError } from "postern/client";

/** What to tell the user about an error of the client. */
export function toText(error: unknown): string {
  if (!(error instanceof PosternError)) throw error;
  switch (error.code) {
    case "UNAUTHENTICATED":
      return "Please sign in.";
    case "RATE_LIMITED":
      return `Please wait ${error.retryAfterSeconds} seconds.`;
    case "VALIDATION_FAILED":
      return error.details.map(({ path, message }) => `${path}: ${message}`).join("\n");
    default:
      return `${error.message} (${error.requestId}, see ${error.docsUrl})`;
  }
}
