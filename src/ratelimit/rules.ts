/** Every rate limit, in one table. The variable `RATE_LIMITS` overrides them by name. */

export interface Rule {
  limit: number;
  windowSeconds: number;
}

export const RULES = {
  resendVerification: { limit: 5, windowSeconds: 120 },
  forgotPassword: { limit: 3, windowSeconds: 60 },
  resetPassword: { limit: 5, windowSeconds: 60 },
  login: { limit: 30, windowSeconds: 60 },
  register: { limit: 20, windowSeconds: 60 },
  refresh: { limit: 60, windowSeconds: 60 },
  twoFactor: { limit: 10, windowSeconds: 60 },
  publish: { limit: 6000, windowSeconds: 60 },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES;

/** The rules of sign-in and tokens. When the limiter is down, these refuse with 503; the others let requests pass. */
export const FAIL_CLOSED: ReadonlySet<RuleName> = new Set<RuleName>([
  "resendVerification",
  "forgotPassword",
  "resetPassword",
  "login",
  "register",
  "refresh",
  "twoFactor",
]);
