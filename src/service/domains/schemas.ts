/** What operators send about domains. */
import { described, id, name } from "../../base/schemas/schemas";
import { stepUpFields } from "../../identity/accounts/step-up-schemas";

export const domainMove = described("DomainMove", "Who gets a domain, and the operator's password or code.", () => ({
  tenantId: id.meta({ description: "The tenant that gets it." }),
  reason: name.meta({
    description: "Why. Both tenants can read it in their audit log.",
    examples: ["Sold to Analytical Engines"],
  }),
  ...stepUpFields,
}));
