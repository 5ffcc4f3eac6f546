/** What lists clients, and what replaces a secret of one. */
import * as z from "zod";
import { described } from "../../base/schemas/schemas";
import { stepUpFields } from "../../identity/accounts/step-up-schemas";
import { externalId } from "../../tenancy/directory/schemas";

export const secretRotation = described("OauthClientSecretRotation", "How a secret is replaced.", () => ({
  overlapSeconds: z
    .int()
    .min(0)
    .max(604_800)
    .default(86_400)
    .meta({ description: "How long the former secret still works; 0: it ends at once." }),
  ...stepUpFields,
}));

const MAX_LISTED = 200;
export const clientQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(50),
  cursor: z
    .string()
    .regex(/^\d{1,15}_(pc_[0-9A-Za-z]{28}|https:\/\/[!-~]{1,248})$/, "Must be the nextCursor of the previous answer")
    .optional(),
  externalId: externalId.optional(),
});
