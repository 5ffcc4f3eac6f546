/** A subscription as its page shows it. */
import type { HeadersView } from "../../webhooks/options/header-options";
import type { Screen } from "./store";

export type SubscriptionView = Omit<Screen["subscription"], "secretSealed" | "headersSealed" | "hasFailed"> & {
  /** The time at which the page was requested, Unix ms. */
  nowMs: number;
  /** After how many hours of failures it is disabled; null for never. */
  disabledAfterHours: number | null;
  /** The same for a subscription without a setting of its own. */
  defaultAutoDisableHours: number | null;
  /** Null unless the user asked to see it. */
  secret: string | null;
  headers: HeadersView;
  isCooling: boolean;
};
