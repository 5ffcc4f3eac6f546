/** The request and the answer of `retry-failed`. */
import * as z from "zod";
import { answer } from "../../platform/schemas/answer";
import { cursor, moment, nextCursor } from "../../platform/schemas/schemas";

export const retryFailedRequest = z
  .object({
    since: moment.meta({ description: "Only deliveries of events published at this time or later." }),
    cursor: cursor.optional(),
  })
  .meta({ id: "RetryFailedRequest", description: "Which failed deliveries to send again." });

export const retryFailedResult = answer("RetryFailedResult", "Which failed deliveries were queued again.", () => ({
  message: z.string().meta({ description: "How many, as a sentence for people.", examples: ["2 deliveries queued"] }),
  nextCursor,
}));
