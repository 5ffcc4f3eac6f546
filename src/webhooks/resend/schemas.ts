/** The request and the answer of `retry-failed`. */
import * as z from "zod";
import { cursor, described, moment, nextCursor } from "../../base/schemas/schemas";

export const retryFailedRequest = described("RetryFailedRequest", "Which failed deliveries to send again.", () => ({
  since: moment.meta({ description: "Only deliveries of events published at this time or later." }),
  cursor: cursor.optional(),
}));

export const retryFailedResult = described("RetryFailedResult", "Which failed deliveries were queued again.", () => ({
  message: z.string().meta({ description: "How many, as a sentence for people.", examples: ["2 deliveries queued"] }),
  nextCursor,
}));
