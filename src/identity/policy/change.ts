/** What a tenant requires of its members: a second factor, of all or of those who manage it. */
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import type { PlatformKeyPrincipal, SessionPrincipal } from "../../base/schemas/principal";
import { iso } from "../../base/time";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { inTenant } from "../platform-keys/audit-store";
import { requireTenant } from "../platform-keys/subjects";
import type { Policy, PolicyChange } from "./schemas";
import { findPolicy, type PolicyChanger, type PolicyRow, updatePolicy } from "./store";

const viewOf = ({ config }: Pick<Deps, "config">, row: PolicyRow | undefined): Policy => {
  if (!row) throw notFound("Tenant");
  const { unlistedApps, ...policy } = row;
  const hasUnlisted =
    config.oauthServer === "on" && (config.oauthClientMetadata !== "off" || config.oauthRegistration === "on");
  return { ...policy, ...(hasUnlisted ? { unlistedApps } : {}), enforcedFrom: iso(row.enforcedFrom) };
};

/** Returns what the caller's tenant requires. */
export const policyOfTenant = async (deps: Deps, { tenantId }: { tenantId: string }): Promise<Policy> =>
  viewOf(deps, await findPolicy(deps, tenantId));

/**
 * Changes what the caller's tenant requires, tells its owners and returns it. Throws SECOND_FACTOR_REQUIRED for a
 * caller who would lock themselves out.
 */
export async function changePolicy(deps: Deps, caller: SessionPrincipal, change: PolicyChange): Promise<Policy> {
  const { tenantId, userId, actor, account } = caller;
  const changer: PolicyChanger = { tenantId, userId, eventsOf: (event) => [{ ...event, tenantId, actor }] };
  return changeAndTell(deps, changer, change, account.email);
}

/** Returns what a tenant requires. Throws NOT_FOUND. */
export const policyFor = async (deps: Deps, key: PlatformKeyPrincipal, ref: string): Promise<Policy> =>
  policyOfTenant(deps, await requireTenant(deps, key, ref));

/** Changes what a tenant requires, tells its owners and returns it. Throws NOT_FOUND. */
export async function changePolicyBy(
  deps: Deps,
  key: PlatformKeyPrincipal,
  ref: string,
  change: PolicyChange,
): Promise<Policy> {
  const { tenantId } = await requireTenant(deps, key, ref);
  const changer: PolicyChanger = {
    tenantId,
    userId: null,
    eventsOf: ({ action, target, meta }) => inTenant(key, tenantId, action, target, meta),
  };
  return changeAndTell(deps, changer, change, key.actor.name ?? "");
}

async function changeAndTell(deps: Deps, changer: PolicyChanger, change: PolicyChange, by: string): Promise<Policy> {
  const { isChanged, policy, hasOwnFactor } = await updatePolicy(deps, changer, change, deps.now());
  const view = viewOf(deps, policy);
  if (isChanged) {
    const { requireSecondFactor, graceDays } = view;
    tellOwners(deps, changer.tenantId, { what: "securityChanged", by, requireSecondFactor, graceDays });
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
