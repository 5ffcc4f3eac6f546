/** Tenants and users as the product sees them, with the ids that it has given them. */
import * as z from "zod";
import { described, id, locale, personEmail, personName, time } from "../../base/schemas/schemas";
import { metadata, publicMetadata } from "./metadata-schemas";

const EXTERNAL_ID = /^[\x21-\x7e]+$/;
const REFUSED = /[/?#%\\]/;

/** The product's own id. */
export const externalId = z
  .string()
  .min(1)
  .max(128)
  .regex(EXTERNAL_ID, "Must be printable ASCII without spaces")
  .refine((text) => !REFUSED.test(text), "Must not contain / ? # % or \\")
  .meta({
    description: "Your own id: 1 to 128 printable ASCII characters without spaces and / ? # % \\. Case matters.",
    examples: ["customer-42"],
  });

const suspended = z
  .object({ at: time, reason: z.string().nullable() })
  .meta({ id: "PlatformSuspension", description: "Since when and why a tenant or a user is suspended." })
  .nullable()
  .meta({ description: "Null: not suspended." });

const record = {
  id,
  externalId: z
    .string()
    .nullable()
    .meta({ description: "Your own id.", examples: ["customer-42"] }),
  suspended,
  createdAt: time,
  updatedAt: time.meta({ description: "When what this record shows last changed." }),
  sequence: z
    .int()
    .min(0)
    .meta({
      description: "Grows with each event about the subject; 0 before the first one.",
      examples: [0],
    }),
  metadata,
  publicMetadata,
};

export const tenantRecord = described("PlatformTenant", "A tenant, as the product sees it.", () => ({
  ...record,
  name: z.string().meta({ examples: ["Analytical Engines"] }),
}));

export const userRecord = described("PlatformUser", "A person with an account, as the product sees them.", () => ({
  ...record,
  email: personEmail,
  name: personName,
  locale: locale.optional().meta({ description: "The language of their mails; missing: that of the service." }),
  emailVerified: z.boolean(),
  twoFactorEnabled: z.boolean(),
}));

export type TenantRecord = z.infer<typeof tenantRecord>;
export type UserRecord = z.infer<typeof userRecord>;
