/** What the mail queue carries: no secrets. Tokens are made when the mail is sent and never stand in a queue. */
import { z } from "zod";

export const mailJob = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("verification"), userId: z.string() }),
  /** By email: whether there is such a user is looked up here, where no caller can measure it. */
  z.object({ kind: z.literal("passwordReset"), email: z.string() }),
  z.object({ kind: z.literal("passwordChanged"), userId: z.string() }),
  z.object({ kind: z.literal("twoFactorChanged"), userId: z.string(), enabled: z.boolean() }),
  z.object({ kind: z.literal("apiKeyCreated"), userId: z.string(), keyName: z.string() }),
  z.object({ kind: z.literal("invitation"), tenantId: z.string(), invitationId: z.string() }),
]);

export type MailJob = z.infer<typeof mailJob>;
