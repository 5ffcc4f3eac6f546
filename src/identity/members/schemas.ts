/** Members of a tenant in requests and answers. */
import * as z from "zod";
import { described, id, personEmail, personName, role, time } from "../../base/schemas/schemas";

export const roleBody = z.object({ role }).meta({ id: "RoleChange", examples: [{ role: "developer" }] });

export const membershipChange = z
  .strictObject({
    alerts: z.boolean().meta({
      description: "Whether the caller gets mails about failing subscriptions of this tenant, as owner or admin.",
    }),
  })
  .meta({ id: "MembershipChange", description: "The caller's settings in the tenant.", examples: [{ alerts: false }] });

export const member = described("Member", "A person in the tenant.", () => ({
  userId: id,
  email: personEmail,
  name: personName,
  role,
  joinedAt: time,
}));

export type Member = z.infer<typeof member>;
