/** What publishing takes, over HTTP and over RPC. */
import { z } from "zod";
import { eventType } from "../wire/event-type";
import { id } from "../wire/schemas";

const MAX_CORRELATION_ID_CHARACTERS = 128;

export const publication = z
  .object({
    type: eventType,
    /** Any JSON value. */
    payload: z
      .unknown()
      .refine((value) => value !== undefined, "Required")
      .meta({ description: "Any JSON value; it is the body of each delivery.", examples: [{ order: 42 }] }),
    correlationId: z
      .string()
      .max(MAX_CORRELATION_ID_CHARACTERS)
      .regex(/^[ -~]*$/, "Must be printable ASCII")
      .optional()
      .meta({ description: "Sent as `X-Correlation-Id`.", examples: ["checkout-7"] }),
  })
  .meta({ id: "NewEvent" });

export const idempotencyKey = z
  .string()
  .regex(/^[!-~]{1,255}$/, "Must be 1 to 255 printable ASCII characters")
  .meta({
    description: "The same key within 24 hours returns the first answer and delivers nothing twice.",
    examples: ["order-42-paid"],
  });

export const published = z
  .object({
    id,
    type: z.string().meta({ examples: ["OrderPaid"] }),
    deliveries: z
      .int()
      .min(0)
      .meta({ description: "How many subscriptions it goes to.", examples: [1] }),
  })
  .meta({ id: "PublishedEvent" });

export type Publication = z.infer<typeof publication>;
export type Published = z.infer<typeof published>;
