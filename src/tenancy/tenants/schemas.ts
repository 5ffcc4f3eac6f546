/** Tenants in requests and answers. */
import { z } from "zod";
import { ROLE_NAMES } from "../../platform/schemas/roles";
import { id } from "../../platform/schemas/schemas";

export const tenant = z
  .object({ id, name: z.string().meta({ examples: ["Analytical Engines"] }) })
  .meta({ id: "Tenant" });

export const membership = tenant
  .extend({
    role: z.enum(ROLE_NAMES),
    current: z.boolean().meta({ description: "True for the tenant of this session." }),
  })
  .meta({ id: "Membership" });
