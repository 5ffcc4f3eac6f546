/** Invitations in requests and answers. */
import * as z from "zod";
import { described, email, id, opaqueToken, personEmail, role, time } from "../../base/schemas/schemas";
import { tenant } from "../../tenancy/tenants/schemas";

export const invitationBody = described("InvitationInput", "Whom to invite, and the role they will have.", () => ({
  email,
  role,
}));
export const acceptanceBody = z
  .object({
    token: opaqueToken.meta({
      description: "The token in the link of the invitation mail.",
      examples: ["c0ffee".repeat(10)],
    }),
  })
  .meta({ id: "InvitationAcceptance" });

export const invitation = described("Invitation", "An invitation that has been mailed.", () => ({
  id,
  email: personEmail,
  role,
  invitedBy: id
    .nullable()
    .meta({ description: "The user who invites; null: the product itself, with a platform key." }),
  createdAt: time,
  expiresAt: time.meta({ description: "Seven days after `createdAt`." }),
}));

export const invitationLookUp = described("InvitationLookUp", "What an open invitation says.", () => ({
  tenant: z.object({ name: z.string().meta({ examples: ["Analytical Engines"] }) }),
  role,
  email: personEmail.meta({ description: "Whom it was mailed to, and who alone can use it." }),
  hasAccount: z.boolean().meta({
    description: "True: sign in and accept it. False: register with it.",
  }),
  inviter: z
    .string()
    .nullable()
    .meta({ description: "Name and address; null: the product itself.", examples: ["Ann (ann@example.com)"] }),
}));

export const joined = described("JoinedTenant", "The tenant that an accepted invitation leads to.", () => ({
  tenant: tenant.meta({ description: "Sign in to it with its id as `tenantId`." }),
  role,
}));

export type Invitation = z.infer<typeof invitation>;
export type InvitationLookUp = z.infer<typeof invitationLookUp>;
