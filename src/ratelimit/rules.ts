/** Every rate limit, in one table. The variable `RATE_LIMITS` overrides them by name. */
import { HOUR_MS, MINUTE_MS } from "../time";

/** At most `limit` units in any `windowSeconds`. */
export interface Rule {
  limit: number;
  windowSeconds: number;
}

const minute = MINUTE_MS / 1000;
const hour = HOUR_MS / 1000;

export const RULES = {
  resendVerification: { limit: 5, windowSeconds: 2 * minute },
  verifyEmail: { limit: 30, windowSeconds: minute },
  forgotPassword: { limit: 3, windowSeconds: minute },
  resetPassword: { limit: 5, windowSeconds: minute },
  changePassword: { limit: 10, windowSeconds: hour },
  login: { limit: 30, windowSeconds: minute },
  register: { limit: 20, windowSeconds: minute },
  refresh: { limit: 60, windowSeconds: minute },
  twoFactor: { limit: 10, windowSeconds: minute },
  createApiKey: { limit: 20, windowSeconds: hour },
  unknownApiKey: { limit: 60, windowSeconds: minute },
  invite: { limit: 20, windowSeconds: hour },
  inviteAddress: { limit: 1, windowSeconds: 10 * minute },
  writeWebhook: { limit: 1000, windowSeconds: minute },
  redeliver: { limit: 120, windowSeconds: minute },
  readDeliveries: { limit: 3000, windowSeconds: minute },
  publish: { limit: 6000, windowSeconds: minute },
  deepHealth: { limit: 30, windowSeconds: minute },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES;

/** The rules of sign-in and tokens. When the limiter is down, these refuse with 503; the others let requests pass. */
export const FAIL_CLOSED: ReadonlySet<RuleName> = new Set<RuleName>([
  "resendVerification",
  "verifyEmail",
  "forgotPassword",
  "resetPassword",
  "changePassword",
  "login",
  "register",
  "refresh",
  "twoFactor",
]);

/** For how long an isolate may use units that it leased ahead of need. */
export const leaseMs = (rule: Rule): number => Math.min(10_000, (rule.windowSeconds * 1000) / 6);
