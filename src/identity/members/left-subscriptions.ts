/** The subscriptions that somebody has set up in a tenant. They belong to the tenant, and outlive the membership. */
import type { Deps } from "../../platform/deps";
import { permissionsOf, type Role } from "../../platform/schemas/roles";
import { findTenant } from "../../tenancy/tenants/store";
import { receivesAudit } from "../../webhooks/subscriptions/audit-readers";
import { listSubscriptions, type SubscriptionRow } from "../../webhooks/subscriptions/store";

/**
 * The enabled subscriptions that a user has set up and could not set up with `role`, newest first: all of them for
 * null, which stands for somebody who is no member.
 */
export async function subscriptionsLeftBy(
  deps: Deps,
  { tenantId, userId }: { tenantId: string; userId: string },
  role: Role | null,
): Promise<SubscriptionRow[]> {
  const permissions = role === null ? [] : permissionsOf(role);
  if (permissions.includes("webhook.create") && permissions.includes("audit.read")) return [];
  const tenant = await findTenant(deps, tenantId);
  const setUp = tenant ? await listSubscriptions(deps, tenant, { setUpBy: userId }) : [];
  return setUp.filter(
    ({ enabled, events }) => enabled && (!permissions.includes("webhook.create") || receivesAudit(events)),
  );
}
