/** Telling the owners that one of them has got in without the provider of a tenant that requires it. */
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { mustSignOn } from "./sign-on-required";

/**
 * Whether a session that the tenant refuses lets an owner in once they have set up two-factor authentication: 1 if so.
 */
export const breaksGlassWithFactor = (deps: Deps, caller: SessionPrincipal): 0 | 1 =>
  mustSignOn(deps, caller, deps.now()) &&
  caller.role === "owner" &&
  caller.methods.some((method) => method === "password" || method === "code")
    ? 1
    : 0;

/** `by` is the address of the owner whose session it is. */
export function tellOfBrokenGlass(
  deps: Deps,
  { tenantId, breaksGlass }: { tenantId: string; breaksGlass: 0 | 1 },
  by: string,
): void {
  if (breaksGlass === 1) tellOwners(deps, tenantId, { what: "brokenGlass", by });
}
