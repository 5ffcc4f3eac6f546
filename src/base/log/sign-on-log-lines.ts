/** The messages of the log about sign-on; see log-lines.ts. */
import type { LogLine } from "./log-levels";

export const SIGN_ON_LOG_LINES = {
  "sign-on refused": {
    level: "warn",
    meaning: "A tenant's identity provider vouched for nobody who gets in; `reason` is that of the trace.",
    advice: "The tenant's administrators see what to change. Look at it if many tenants have the same reason.",
  },
  "scim refused": {
    level: "warn",
    meaning: "A request of a tenant's directory was refused; `reason` is its `scimType`, else the status.",
    advice: "Directories repeat what fails. Look at it if one gets errors all the time: its tenant's people go stale.",
  },
} as const satisfies Record<string, LogLine>;
