/** The messages of the log about sign-on; see log-lines.ts. */
import type { LogLine } from "./log-levels";

export const SIGN_ON_LOG_LINES = {
  "sign-on refused": {
    level: "warn",
    meaning: "A tenant's identity provider vouched for nobody who gets in; `reason` is that of the trace.",
    advice: "The tenant's administrators see what to change. Look at it if many tenants have the same reason.",
  },
} as const satisfies Record<string, LogLine>;
