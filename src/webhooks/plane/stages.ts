/** The stages of a failing subscription. Its users are told about each stage except the first. */
import { HOUR_MS } from "../../base/time";

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

/** The shortest time between two mails to a tenant, except one about a disabled subscription. */
export const MAIL_EVERY_MS = HOUR_MS;

/** The number of failed attempts after which a subscription is marked as failing, and users can be told. */
export const MIN_FAILURES = 10;
/** The number of failed attempts below which a subscription is not disabled. */
export const MIN_FAILURES_TO_DISABLE = 20;
