/** The subscriptions that somebody has set up in a tenant. They belong to the tenant, and outlive the membership. */
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import { permissionsOf, type Role } from "../../base/schemas/roles";
import { findTenant, listTenantsOfUser } from "../../tenancy/tenants/store";
import { receivesAudit } from "../../webhooks/subscriptions/audit-readers";
import { listSubscriptions, type SubscriptionRow } from "../../webhooks/subscriptions/store";

/** A mail names no more. */
export const MAX_NAMED = 30;

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

/** Those with `role`, as a mail names them. None if their database does not answer: the mail is more important. */
export const namesOfLeft = (deps: Deps, member: { tenantId: string; userId: string }, role: Role | null) =>
  named(subscriptionsLeftBy(deps, member, role));

/**
 * The enabled subscriptions that a user set up before a time (Unix ms), in any of their tenants, as a mail names them.
 */
export const namesOfOlder = (deps: Deps, userId: string, beforeMs: number): Promise<string[]> =>
  named(olderThan(deps, userId, beforeMs));

async function olderThan(deps: Deps, userId: string, beforeMs: number): Promise<SubscriptionRow[]> {
  const older: SubscriptionRow[] = [];
  for (const { id: tenantId } of await listTenantsOfUser(deps, userId)) {
    const setUp = await subscriptionsLeftBy(deps, { tenantId, userId }, null);
    older.push(...setUp.filter(({ createdAt }) => createdAt < beforeMs));
    if (older.length >= MAX_NAMED) break;
  }
  return older;
}

async function named(subscriptions: Promise<SubscriptionRow[]>): Promise<string[]> {
  try {
    const all = await subscriptions;
    return all.slice(0, MAX_NAMED).map(({ name, url }) => `"${name}" (${URL.parse(url)?.host ?? ""})`);
  } catch (error) {
    log("error", "background work failed", { what: "subscriptions for a mail", ...describeError(error) });
    return [];
  }
}
