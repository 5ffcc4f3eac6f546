/** The input and output of publishing, over HTTP and over RPC. */
import * as z from "zod";
import { eventType, OPERATIONAL_PREFIX } from "../../base/schemas/event-type";
import { described, id, isWithinDepth, MAX_DEPTH } from "../../base/schemas/schemas";

const MAX_CORRELATION_ID_CHARACTERS = 128;
const MAX_ORDER_KEY_CHARACTERS = 128;
const MAX_BATCH_EVENTS = 100;

export const orderKey = z
  .string()
  .min(1)
  .max(MAX_ORDER_KEY_CHARACTERS)
  .regex(/^[!-~]([ -~]*[!-~])?$/, "Must be printable ASCII, without a space at its ends")
  .meta({
    description:
      "What the event is about, such as an order. The events of a key are numbered 1, 2, 3 in the order in which " +
      "they are stored, and each delivery carries `webhook-order-key` and `webhook-sequence`.",
    examples: ["order-42"],
  });

/** How many subscriptions did not receive an event because of their filters. */
export const filtered = z
  .int()
  .min(1)
  .meta({
    description: "How many subscriptions list its type but do not receive it because of their filters.",
    examples: [2],
  });

/** The number of an event within its `orderKey`. */
export const sequence = z
  .int()
  .min(1)
  .meta({ description: "The number of the event within its `orderKey`.", examples: [3] });

export const publication = z
  .object({
    type: eventType
      .refine((type) => !type.startsWith(OPERATIONAL_PREFIX), "Must not start with postern.")
      .meta({ description: "The event's type; subscriptions choose by it." }),
    /** Any JSON value. */
    payload: z
      .unknown()
      .refine((value) => value !== undefined, "Required")
      .refine(isWithinDepth, `Must not be nested more than ${MAX_DEPTH} levels deep`)
      .meta({
        description:
          "Any JSON value; it is the body of each delivery. Subscribers receive its text exactly as it is in the " +
          "request.",
        examples: [{ order: 42 }],
      }),
    correlationId: z
      .string()
      .max(MAX_CORRELATION_ID_CHARACTERS)
      .regex(/^[ -~]*$/, "Must be printable ASCII")
      .optional()
      .meta({
        description: "Printable ASCII, sent with each delivery as `X-Correlation-Id`.",
        examples: ["checkout-7"],
      }),
    orderKey: orderKey.optional(),
    // Checked where the type is known: without a schema, it is as good as unknown members.
    schemaVersion: z
      .unknown()
      .optional()
      .meta({
        type: "integer",
        minimum: 1,
        examples: [1],
        description:
          "The version of its type's schema that it must fit; by default the newest one. Ignored if the type is not " +
          "declared.",
      }),
  })
  .meta({ id: "EventInput", description: "An event to publish." });

/** No version has this number. */
const NO_VERSION = -1;

/** The version that `schemaVersion` asks for; null for the newest one. */
export function versionAsked(schemaVersion: unknown): number | null {
  if (schemaVersion === undefined) return null;
  const isNumber = typeof schemaVersion === "number" && Number.isSafeInteger(schemaVersion) && schemaVersion >= 1;
  return isNumber ? schemaVersion : NO_VERSION;
}

export const idempotencyKey = z
  .string()
  .regex(/^[!-~]{1,255}$/, "Must be 1 to 255 printable ASCII characters")
  .meta({
    description: "Repeating a call with the same key within 24 hours returns the first answer and publishes nothing.",
    examples: ["order-42-paid"],
  });

const batchEvent = publication
  .extend({ idempotencyKey: idempotencyKey.optional() })
  .meta({ id: "BatchEventInput", description: "An event of a batch." });

/** A batch, of which all events or none are accepted. */
export const publicationBatch = z
  .object({ events: z.array(batchEvent).min(1).max(MAX_BATCH_EVENTS) })
  .superRefine(({ events }, context) => {
    const seen = new Set<string>();
    for (const [position, { idempotencyKey: key }] of events.entries()) {
      if (key === undefined) continue;
      if (seen.has(key)) {
        context.addIssue({
          code: "custom",
          message: "Is used twice in this batch",
          path: ["events", position, "idempotencyKey"],
        });
      }
      seen.add(key);
    }
  })
  .meta({ id: "EventBatchInput" });

export const published = described("PublishedEvent", "An event that the service has stored.", () => ({
  id,
  type: z.string().meta({ examples: ["OrderPaid"] }),
  deliveries: z
    .int()
    .min(0)
    .meta({ description: "How many subscriptions receive it.", examples: [1] }),
  filtered: filtered.optional(),
  sequence: sequence.optional(),
  warnings: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .meta({
      description: "Where the payload does not fit the schema of its type, and whether the type is deprecated.",
      examples: [[{ path: "payload.total", message: "type: integer" }]],
    }),
}));

export type Published = z.infer<typeof published>;
