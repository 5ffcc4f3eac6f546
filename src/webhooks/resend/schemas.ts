/** The request and the answer of `retry-failed`, and what a test can ask for. */
import * as z from "zod";
import { eventType } from "../../base/schemas/event-type";
import { cursor, described, moment, nextCursor } from "../../base/schemas/schemas";
import { MAX_EXAMPLES } from "../event-types/schemas";

export const retryFailedRequest = described("RetryFailedRequest", "Which failed deliveries to send again.", () => ({
  since: moment.meta({ description: "Only deliveries of events published at this time or later." }),
  cursor: cursor.optional(),
}));

export const retryFailedResult = described("RetryFailedResult", "Which failed deliveries were queued again.", () => ({
  message: z.string().meta({ description: "How many, as a sentence for people.", examples: ["2 deliveries queued"] }),
  nextCursor,
}));

export const testQuery = z.object({
  type: eventType
    .optional()
    .meta({ description: "A declared type, of which an example is sent. Without it, `WebhookTested` is." }),
  example: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_EXAMPLES - 1)
    .default(0)
    .meta({ description: "Which of the examples of the type, from 0." }),
});
