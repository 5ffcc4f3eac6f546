/** How paths below `/platform` name tenants and users. */
import * as z from "zod";

const tenant = z.string().meta({
  description: "By id, or as `ext:<externalId>`. URL-encoded.",
  examples: ["ext:customer-42"],
});
const user = z.string().meta({
  description: "By id, as `ext:<externalId>` or as `email:<address>`. URL-encoded.",
  examples: ["ext:user-7"],
});

export const ofTenant = z.object({ tenant });
export const ofUser = z.object({ user });
export const ofMember = z.object({ tenant, user });
