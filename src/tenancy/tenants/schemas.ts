/** Tenants in requests and answers. */
import * as z from "zod";
import { id, role } from "../../platform/schemas/schemas";

export const tenant = z
  .object({ id, name: z.string().meta({ examples: ["Analytical Engines"] }) })
  .meta({ id: "Tenant", description: "An account's space: its members, subscriptions, events and API keys." });

export const membership = tenant
  .extend({
    role,
    current: z.boolean().meta({ description: "True for the tenant of this session." }),
  })
  .meta({ id: "Membership", description: "A tenant that the user is a member of." });
