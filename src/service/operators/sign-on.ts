/** An operator ends the requirement of single sign-on: a tenant whose provider is gone could lock its people out. */
import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { endEnforcement } from "../../identity/policy/enforcement-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { ofTenant } from "../acting/audit-store";
import { tenantToChange } from "../acting/tenant-to-change";

/** Ends it and tells the owners. Throws NOT_FOUND, and CONFLICT for a tenant that does not require sign-on. */
export async function endSignOn(
  deps: Deps,
  operator: SessionPrincipal,
  id: string,
  { reason }: { reason: string },
): Promise<void> {
  const { tenantId } = await tenantToChange(deps, id);
  const { ended } = await atomically(deps.db, {
    ended: endEnforcement(tenantId),
    recorded: ofTenant(operator, tenantId, "operator.sign_on_ended", { reason }).map(auditIfChanged),
  });
  if (ended.length === 0) throw new AppError("CONFLICT", { message: "The tenant does not require single sign-on." });
  tellOwners(deps, tenantId, { what: "signOnEnded" });
}
