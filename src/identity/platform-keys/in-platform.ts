/** Operators in the tenant of the platform, where they have an owner's permissions. */
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { type Permission, permissionsOf } from "../../base/schemas/roles";
import { platformTenant } from "../../tenancy/tenants/store";

/** What an owner may do, but publish: only the service itself publishes in the tenant of the platform. */
const PERMISSIONS: ReadonlySet<Permission> = new Set(
  permissionsOf("owner").filter((permission) => permission !== "event.publish"),
);

/** Returns the session of an operator, which the caller has checked, in the tenant of the platform. */
export const inPlatform = async (deps: Deps, operator: SessionPrincipal): Promise<SessionPrincipal> => ({
  ...operator,
  ...(await platformTenant(deps)),
  role: "owner",
  permissions: PERMISSIONS,
});
