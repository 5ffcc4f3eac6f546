/** What crosses the wire when failed deliveries are sent again. */
import { z } from "zod";
import { cursor, moment, nextCursor } from "../wire/schemas";

export const failedSince = z
  .object({ since: moment.meta({ description: "Deliveries made then or later." }), cursor: cursor.optional() })
  .meta({ id: "FailedSince" });

export const queuedAgain = z
  .object({ message: z.string().meta({ examples: ["2 deliveries queued"] }), nextCursor })
  .meta({ id: "QueuedAgain" });
