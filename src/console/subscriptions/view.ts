/** A subscription as its page shows it. */
import type { DeliveryOptions } from "../../webhooks/subscriptions/delivery-options";
import type { HeadersView } from "../../webhooks/subscriptions/header-options";
import type { HealthView } from "./health";

export interface SubscriptionView extends HealthView {
  name: string;
  url: string;
  events: string[];
  failureCount: number;
  isFailing: boolean;
  isRetrying: boolean;
  /** After how many hours a subscription without a setting of its own is disabled; null for never. */
  defaultAutoDisableHours: number | null;
  /** Null unless the user asked to see it. */
  secret: string | null;
  options: DeliveryOptions | null;
  headers: HeadersView;
  /** How many deliveries wait because of its limits. */
  waiting: number;
  isHeld: boolean;
  /** The end of the hold, in Unix ms. */
  heldUntil: number;
  createdAt: number;
  lastTriggeredAt: number | null;
}
