/** Tenants in requests and answers. */
import * as z from "zod";
import { described, id, role } from "../../base/schemas/schemas";
import { publicMetadata } from "../directory/metadata-schemas";

export const tenant = described(
  "Tenant",
  "An account's space: its members, subscriptions, events and API keys.",
  () => ({
    id,
    name: z.string().meta({ examples: ["Analytical Engines"] }),
  }),
);

export const tenantOfProfile = described("ProfileTenant", "The tenant of the session.", () => ({
  ...tenant.unwrap().shape,
  externalId: z
    .string()
    .nullable()
    .meta({ description: "What your product calls the tenant.", examples: ["customer-42"] }),
  publicMetadata,
}));

export const membership = described("Membership", "A tenant that the user is a member of.", () => ({
  ...tenant.unwrap().shape,
  role,
  current: z.boolean().meta({ description: "True for the tenant of this session." }),
}));
