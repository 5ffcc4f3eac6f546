/** The form of an event type's name. */
import { z } from "zod";

/** 1 to 128 printable ASCII characters without spaces and `*`. */
export const eventType = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[!-)+-~]*$/, "Must be printable ASCII without spaces and *")
  .meta({ examples: ["OrderPaid"] });

/** The type of the event that a test sends to one subscription. */
export const TEST_EVENT_TYPE = "WebhookTested";
