/** What the mail queue carries: ids only. Tokens are made when the mail is sent and never stand in a queue. */
import { z } from "zod";

export const mailJob = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("verification"), userId: z.string() }),
]);

export type MailJob = z.infer<typeof mailJob>;
