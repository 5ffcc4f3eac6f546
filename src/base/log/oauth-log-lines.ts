/** The messages about apps that people sign in to. They name the client and the reason, and no value of a request. */
import type { LogLine } from "./log-levels";

export const OAUTH_LOG_LINES = {
  "authorize refused": {
    level: "info",
    meaning: "An app sent somebody to sign in, and was refused; `clientId` is the app, `reason` the error.",
  },
  "device request failed": {
    level: "error",
    meaning: "The Durable Object of a device that asks for a sign-in could not be reached, so it was answered 503.",
  },
  "token refused": {
    level: "info",
    meaning: "An app got no tokens; `clientId` is the app, `reason` the error.",
  },
} as const satisfies Record<string, LogLine>;
