/** What publishing takes, over HTTP and over RPC. */
import { z } from "zod";
import { eventType } from "./type";

const MAX_CORRELATION_ID_CHARACTERS = 128;

export const publication = z.object({
  type: eventType,
  /** Any JSON value. */
  payload: z.unknown().refine((value) => value !== undefined, "Required"),
  correlationId: z
    .string()
    .max(MAX_CORRELATION_ID_CHARACTERS)
    .regex(/^[ -~]*$/, "Must be printable ASCII")
    .optional(),
});

export const idempotencyKey = z.string().regex(/^[!-~]{1,255}$/, "Must be 1 to 255 printable ASCII characters");

export type Publication = z.infer<typeof publication>;
