/** What a subscription is: where events go, which ones, and how they are signed. */
import type { DeliveryChange, DeliveryOptions } from "./delivery-options";
import type { Timestamp } from "./types";

/** A subscription to create. */
export interface NewSubscription {
  name: string;
  /** An http or https URL without credentials. Private addresses are refused. */
  url: string;
  /**
   * The event types it gets, 1 to 100; `*` stands for all that the tenant publishes, `postern.*` for all operational
   * events.
   */
  events: string[];
  /** Signs the deliveries: `whsec_` and a key in base64, or any text of up to 256 characters. */
  secret: string;
  /** False creates it paused; true unless given. */
  enabled?: boolean | undefined;
  /**
   * How its deliveries are sent. In a change, members that are left out stay as they are, and null sets the defaults.
   */
  delivery?: DeliveryChange | null | undefined;
}

/** The fields to change; the others stay as they are. */
export type SubscriptionChange = {
  [Field in keyof NewSubscription]?: NewSubscription[Field] | undefined;
};

/** A subscription: the endpoint of a subscriber in the tenant. */
export interface Subscription {
  _id: string;
  name: string;
  url: string;
  events: string[];
  /** In plain text. */
  secret: string;
  /** False while paused. */
  enabled: boolean;
  /**
   * Present when the service has disabled it: `failing` when nothing succeeded for too long, `gone` when its URL
   * answered 410 twice.
   */
  disabled?: { reason: "failing" | "gone"; at: Timestamp; failingSince: Timestamp } | undefined;
  /** The delivery options that are set; missing when all have their defaults. */
  delivery?: DeliveryOptions | undefined;
  /** When its last attempt started; missing before the first one. */
  lastTriggeredAt?: Timestamp | undefined;
  /** Failed attempts since the last success. */
  failureCount: number;
  tenantId: string;
  isDeleted: boolean;
  /** Goes up by one with each change. */
  version: number;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}
