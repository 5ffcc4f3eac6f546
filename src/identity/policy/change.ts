/** What a tenant requires of its members: a second factor, of all or of those who manage it. */
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { iso } from "../../base/time";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import type { Policy, PolicyChange } from "./schemas";
import { findPolicy, type PolicyRow, updatePolicy } from "./store";

const viewOf = (row: PolicyRow | undefined): Policy => {
  if (!row) throw notFound("Tenant");
  return { ...row, enforcedFrom: iso(row.enforcedFrom) };
};

/** Returns what the caller's tenant requires. */
export const policyOfTenant = async (deps: Deps, { tenantId }: { tenantId: string }): Promise<Policy> =>
  viewOf(await findPolicy(deps, tenantId));

/**
 * Changes what the caller's tenant requires, tells its owners and returns it. Throws SECOND_FACTOR_REQUIRED for a
 * caller who would lock themselves out.
 */
export async function changePolicy(deps: Deps, caller: SessionPrincipal, change: PolicyChange): Promise<Policy> {
  const { isChanged, policy, hasOwnFactor } = await updatePolicy(deps, caller, change, deps.now());
  const view = viewOf(policy);
  if (isChanged) {
    const { requireSecondFactor, graceDays } = view;
    tellOwners(deps, caller.tenantId, {
      what: "securityChanged",
      by: caller.account.email,
      requireSecondFactor,
      graceDays,
    });
  } else if (!hasOwnFactor && isStricter(view, change)) {
    throw new AppError("SECOND_FACTOR_REQUIRED", {
      message: "Set up two-factor authentication or a passkey for your own account first.",
    });
  }
  return view;
}

/** Whether the change would have turned the policy on, or changed it while it is on. */
const isStricter = (present: Policy, { requireSecondFactor = present.requireSecondFactor, graceDays }: PolicyChange) =>
  requireSecondFactor !== "off" &&
  (requireSecondFactor !== present.requireSecondFactor || (graceDays ?? present.graceDays) !== present.graceDays);
