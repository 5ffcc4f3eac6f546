/** The body of a delivery. */

import { iso } from "../../platform/time";
import type { DeliveryOptions } from "../subscriptions/delivery-options";

interface Event {
  eventType: string;
  /** When it was published, Unix ms. */
  eventCreatedAt: number;
  /** The JSON text, as it was published. */
  payload: string;
}

/**
 * Returns the payload or, for the format "standard", the Standard Webhooks envelope around it. The payload is inserted
 * as text: parsing it could change large numbers and the order of keys, so the body would differ from what was
 * published.
 */
export function bodyOf({ eventType, eventCreatedAt, payload }: Event, options: DeliveryOptions | null): string {
  if (options?.format !== "standard") return payload;
  return `{"type":${JSON.stringify(eventType)},"timestamp":"${iso(eventCreatedAt)}","data":${payload}}`;
}
