/** The request and the answer of `retry-failed`. */
import { z } from "zod";
import { cursor, moment, nextCursor } from "../../platform/schemas/schemas";

export const retryFailedRequest = z
  .object({
    since: moment.meta({ description: "Only deliveries of events published at this time or later." }),
    cursor: cursor.optional(),
  })
  .meta({ id: "RetryFailedRequest" });

export const retryFailedResult = z
  .object({ message: z.string().meta({ examples: ["2 deliveries queued"] }), nextCursor })
  .meta({ id: "RetryFailedResult" });
