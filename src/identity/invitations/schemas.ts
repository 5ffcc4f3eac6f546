/** Invitations in requests and answers. */
import { z } from "zod";
import { ROLE_NAMES } from "../../platform/schemas/roles";
import { email, id, opaqueToken, time } from "../../platform/schemas/schemas";
import { tenant } from "../../tenancy/tenants/schemas";

export const invitationBody = z.object({ email, role: z.enum(ROLE_NAMES) }).meta({ id: "NewInvitation" });
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
    role: z.enum(ROLE_NAMES),
    invitedBy: id,
    createdAt: time,
    expiresAt: time,
  })
  .meta({ id: "Invitation" });

export const joined = z.object({ tenant, role: z.enum(ROLE_NAMES) }).meta({ id: "JoinedTenant" });

export type Invitation = z.infer<typeof invitation>;
