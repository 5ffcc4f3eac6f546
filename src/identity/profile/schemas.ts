/** The signed-in user, and changing their name and address, in requests and answers. */
import * as z from "zod";
import {
  described,
  email,
  id,
  locale,
  name,
  opaqueToken,
  permission,
  personEmail,
  personName,
  role,
  time,
} from "../../base/schemas/schemas";
import { publicMetadata } from "../../tenancy/directory/metadata-schemas";
import { tenantOfProfile } from "../../tenancy/tenants/schemas";
import { stepUpFields } from "../accounts/step-up-schemas";

export const profile = described("Profile", "The signed-in user, and what they may do in their tenant.", () => ({
  id,
  externalId: z
    .string()
    .nullable()
    .meta({ description: "What your product calls the user.", examples: ["user-7"] }),
  email: personEmail,
  name: personName,
  locale: locale.nullable().meta({ description: "The language of mails; null: that of the service." }),
  emailVerified: z.boolean(),
  twoFactorEnabled: z.boolean(),
  createdAt: time,
  publicMetadata,
  tenant: tenantOfProfile,
  member: z.object({ publicMetadata }).meta({ description: "What your product says of the user in this tenant." }),
  role,
  permissions: z.array(permission),
  appPermissions: z
    .array(z.string())
    .meta({ description: "Your own permissions of the role, which the setting ROLES gives it.", examples: [[]] }),
  secondFactorDueAt: time.nullable().meta({
    description:
      "From when the tenant lets the user in only to set up a second factor, or to confirm with a passkey; null if " +
      "it does not.",
    examples: [null],
  }),
  alerts: z.boolean().meta({
    description: "Whether the user gets mails about failing subscriptions of this tenant, as owner or admin.",
  }),
}));

export const profileChange = z
  .object({
    name: name
      .nullable()
      .optional()
      .meta({ description: "Null removes it.", examples: ["Ada Lovelace"] }),
    locale: locale.nullable().optional().meta({ description: "The language of mails. Null: that of the service." }),
  })
  .refine((asked) => asked.name !== undefined || asked.locale !== undefined, {
    path: ["name"],
    message: "Give a name or a locale",
  })
  .meta({ id: "ProfileChange", description: "What the signed-in user changes about themselves." });

export const emailChange = described("EmailChange", "A new address, and what confirms the session.", () => ({
  email,
  ...stepUpFields,
}));

export const emailConfirmation = described(
  "EmailConfirmation",
  "What shows that the new address is the user's.",
  () => ({
    token: opaqueToken.meta({ description: "The token in the mailed link.", examples: ["c0ffee".repeat(10)] }),
  }),
);
