/** Invitations in requests and answers. */
import * as z from "zod";
import { email, id, opaqueToken, role, time } from "../../platform/schemas/schemas";
import { tenant } from "../../tenancy/tenants/schemas";

export const invitationBody = z
  .object({ email, role })
  .meta({ id: "NewInvitation", description: "Whom to invite, and the role they will have." });
export const acceptanceBody = z
  .object({
    token: opaqueToken.meta({
      description: "The token in the link of the invitation mail.",
      examples: ["c0ffee".repeat(10)],
    }),
  })
  .meta({ id: "InvitationAcceptance" });

export const invitation = z
  .object({
    id,
    email: z.string().meta({ examples: ["ada@example.com"] }),
    role,
    invitedBy: id.meta({ description: "The user who invites." }),
    createdAt: time,
    expiresAt: time.meta({ description: "Seven days after `createdAt`." }),
  })
  .meta({ id: "Invitation", description: "An invitation that has been mailed." });

export const joined = z
  .object({ tenant: tenant.meta({ description: "Sign in to it with its id as `tenantId`." }), role })
  .meta({ id: "JoinedTenant", description: "The tenant that an accepted invitation leads to." });

export type Invitation = z.infer<typeof invitation>;
