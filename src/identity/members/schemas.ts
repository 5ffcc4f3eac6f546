/** Members of a tenant in requests and answers. */
import * as z from "zod";
import { described, id, nextCursor, pageLimit, personEmail, personName, role, time } from "../../base/schemas/schemas";
import { afterCursor } from "../../base/schemas/time-page-schemas";

/** A role that somebody is given. */
export const chosenRole = z.object({ role });

export const roleBody = z
  .object({
    role: role.nullable().meta({
      description: "Null: that of the rules of the tenant's own sign-on, from the member's next sign-on.",
      examples: ["developer"],
    }),
  })
  .meta({ id: "RoleChange", examples: [{ role: "developer" }] });

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

const MAX_PAGE_ROWS = 1_000;

export const memberQuery = z.object({
  limit: pageLimit("Members", MAX_PAGE_ROWS, MAX_PAGE_ROWS),
  cursor: afterCursor,
  q: z
    .string()
    .trim()
    .max(254)
    .optional()
    .meta({
      description: "Part of a name or an address, in any case. A whole address is found at once.",
      examples: ["ada@example.com"],
    }),
});
export const memberPage = z.object({ data: z.array(member), nextCursor });

export type Member = z.infer<typeof member>;
