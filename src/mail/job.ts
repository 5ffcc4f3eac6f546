/** The messages of the mail queue. They hold no secrets: tokens are made when the mail is sent. */
import { z } from "zod";

export const mailJob = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("verification"), userId: z.string() }),
  /** Holds the email: the consumer looks up whether such a user exists, where no caller can measure the time. */
  z.object({ kind: z.literal("passwordReset"), email: z.string() }),
  z.object({ kind: z.literal("passwordChanged"), userId: z.string() }),
  z.object({ kind: z.literal("twoFactorChanged"), userId: z.string(), enabled: z.boolean() }),
  z.object({ kind: z.literal("apiKeyCreated"), userId: z.string(), keyName: z.string() }),
  z.object({ kind: z.literal("invitation"), tenantId: z.string(), invitationId: z.string() }),
]);

export type MailJob = z.infer<typeof mailJob>;
