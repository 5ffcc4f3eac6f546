/** How far a failing subscription has come. A notice goes out at each stage but the first. */

export const STAGE = {
  /** It has failed often, but not for long. */
  noticed: 0,
  failing: 1,
  /** It will be disabled within a day. */
  atRisk: 2,
  disabled: 3,
  /** It has succeeded again. */
  recovered: 4,
} as const;

/** The failed attempts after which an episode is stored, and after which users are told of it. */
export const MIN_FAILURES = 10;
/** The failed attempts without which a subscription is not disabled. */
export const MIN_FAILURES_TO_DISABLE = 20;
