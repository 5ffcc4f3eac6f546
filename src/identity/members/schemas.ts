/** Members of a tenant in requests and answers. */
import { z } from "zod";
import { ROLE_NAMES } from "../../platform/schemas/roles";
import { id, time } from "../../platform/schemas/schemas";

export const roleBody = z
  .object({ role: z.enum(ROLE_NAMES) })
  .meta({ id: "RoleChange", examples: [{ role: "developer" }] });

export const membershipChange = z
  .strictObject({
    alerts: z
      .boolean()
      .meta({ description: "Whether the caller gets mails about failing subscriptions of this tenant." }),
  })
  .meta({ id: "MembershipChange", examples: [{ alerts: false }] });

export const member = z
  .object({
    userId: id,
    email: z.string().meta({ examples: ["ada@example.com"] }),
    name: z
      .string()
      .nullable()
      .meta({ examples: ["Ada Lovelace"] }),
    role: z.enum(ROLE_NAMES),
    joinedAt: time,
  })
  .meta({ id: "Member" });

export type Member = z.infer<typeof member>;
