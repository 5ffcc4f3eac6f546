/** The signed-in user, and changing their name and address, in requests and answers. */
import * as z from "zod";
import { answer } from "../../platform/schemas/answer";
import { email, id, name, opaqueToken, permission, role, time } from "../../platform/schemas/schemas";
import { tenant } from "../../tenancy/tenants/schemas";
import { stepUpFields } from "../step-up/schemas";

export const profile = answer("Profile", "The signed-in user, and what they may do in their tenant.", () => ({
  id,
  email: z.string().meta({ examples: ["ada@example.com"] }),
  name: z
    .string()
    .nullable()
    .meta({ examples: ["Ada Lovelace"] }),
  emailVerified: z.boolean(),
  twoFactorEnabled: z.boolean(),
  createdAt: time,
  tenant,
  role,
  permissions: z.array(permission),
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
  .object({ name: name.nullable().meta({ description: "Null removes it.", examples: ["Ada Lovelace"] }) })
  .meta({ id: "ProfileChange", description: "What the signed-in user changes about themselves." });

export const emailChange = z
  .object({ email, ...stepUpFields })
  .meta({ id: "EmailChange", description: "A new address, and what confirms the session." });

export const emailConfirmation = z
  .object({
    token: opaqueToken.meta({ description: "The token in the mailed link.", examples: ["c0ffee".repeat(10)] }),
  })
  .meta({ id: "EmailConfirmation", description: "What shows that the new address is the user's." });
