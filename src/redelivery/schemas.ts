/** What crosses the wire when failed deliveries are sent again. */
import { z } from "zod";
import { cursor, moment, nextCursor } from "../wire/schemas";

export const retryFailedRequest = z
  .object({ since: moment.meta({ description: "Deliveries made then or later." }), cursor: cursor.optional() })
  .meta({ id: "RetryFailedRequest" });

export const retryFailedResult = z
  .object({ message: z.string().meta({ examples: ["2 deliveries queued"] }), nextCursor })
  .meta({ id: "RetryFailedResult" });
