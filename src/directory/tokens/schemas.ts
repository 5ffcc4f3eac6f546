/** Tokens of directories in requests and answers. */
import * as z from "zod";
import { described, id, time } from "../../base/schemas/schemas";

const expiresAt = time.nullable().meta({ description: "When it stops working; null: it works until it is revoked." });

export const newScimToken = z
  .strictObject({
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .meta({ description: "When it stops working. Directories that meet an ended token stop for a while." }),
  })
  .meta({ id: "ScimTokenInput", description: "A token for the tenant's directory." });

export type NewScimToken = z.infer<typeof newScimToken>;

const needsReview = z.boolean().meta({
  description: "Somebody with a setup link has made it. It works once the connection is activated again.",
});
const fields = { id, needsReview, createdAt: time, expiresAt };

export const scimToken = described("ScimToken", "With which a tenant's directory calls.", () => ({
  ...fields,
  lastUsedAt: time.nullable().meta({ description: "To the hour." }),
}));

export const madeScimToken = described("MadeScimToken", "A token, which is shown once.", () => ({
  ...fields,
  token: z.string().meta({ examples: ["scim_4fG7hJ2kL9mN3pQ5rS8tV1wX6yZ0aB2cD4eF7g0a1b2c"] }),
}));

export type ScimTokenView = z.infer<typeof scimToken>;
