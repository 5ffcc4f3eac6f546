/** An operator gives a domain that one tenant has proved to another: who owns it may have changed, or be disputed. */
import type { Deps } from "../../base/deps";
import { AppError, changedMeanwhile, invalidField, notFound } from "../../base/errors";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { nothingFound } from "../../sign-on/domains/look-up";
import { asciiDomain } from "../../tenancy/domains/ascii-domain";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { findTenant } from "../../tenancy/tenants/store";
import { ofTenant } from "../acting/audit-store";
import { findHolder, moveProvedDomain } from "./move-store";

/**
 * Gives a domain to another tenant, and tells the owners of both. Throws NOT_FOUND for one that nobody has,
 * VALIDATION_FAILED for an unknown tenant, and CONFLICT for the one that has it.
 */
export async function moveDomain(
  deps: Deps,
  operator: SessionPrincipal,
  text: string,
  { tenantId, reason }: { tenantId: string; reason: string },
): Promise<void> {
  const domain = asciiDomain(text);
  const formerId = domain === null ? undefined : await findHolder(deps, domain);
  if (domain === null || formerId === undefined) throw notFound("Domain");
  if (formerId === tenantId) throw new AppError("CONFLICT", { message: "The tenant has the domain already." });
  const tenant = tenantId === PLATFORM_TENANT ? undefined : await findTenant(deps, tenantId);
  if (!tenant) throw invalidField("tenantId", "Must be the id of a tenant");
  const events = {
    lost: ofTenant(operator, formerId, "operator.domain_moved", { domain, reason }),
    proved: ofTenant(operator, tenant.tenantId, "operator.domain_moved", { domain, reason }).slice(1),
  };
  const moved = { domain, tenantId: tenant.tenantId, lastError: nothingFound(deps) };
  if (!(await moveProvedDomain(deps, formerId, moved, events, deps.now()))) throw changedMeanwhile("domain");
  tellOwners(deps, formerId, { what: "domainTaken", domain });
  tellOwners(deps, tenant.tenantId, { what: "domainGiven", domain });
}
