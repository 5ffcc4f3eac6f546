/** A tenant and a person as operators see them. */
import type { Deps } from "../../platform/deps";
import { notFound } from "../../platform/errors";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { iso } from "../../platform/time";
import { readPersonOf } from "./person-store";
import type { OperatedPerson, OperatedTenant } from "./schemas";
import { readLoad, readTenantOf, startOfAttempts } from "./tenant-store";

const isoOrNull = (timeMs: number | null) => (timeMs === null ? null : iso(timeMs));
const suspendedView = ({ suspendedAt: at, suspendedReason: reason }: Suspended) =>
  at === null ? null : { at: iso(at), reason };

interface Suspended {
  suspendedAt: number | null;
  suspendedReason: string | null;
}

/** Returns a tenant, and records that the operator has read it. Throws NOT_FOUND. */
export async function tenantForOperator(deps: Deps, operator: SessionPrincipal, id: string): Promise<OperatedTenant> {
  const nowMs = deps.now();
  const read = await readTenantOf(deps, operator, id, nowMs);
  if (!read) throw notFound("Tenant");
  const { tenant, owners } = read;
  const since = startOfAttempts(nowMs);
  const { subscriptions, open, attempts, holds } = await readLoad(deps, tenant, since);
  const { name, createdAt, shard, members, apiKeys } = tenant;
  return {
    id,
    name,
    createdAt: iso(createdAt),
    suspended: suspendedView(tenant),
    shard,
    members,
    apiKeys,
    owners,
    subscriptions,
    openDeliveries: { count: open.count, isExact: open.isExact },
    oldestDueAt: isoOrNull(open.oldestDueAt),
    attempts: { since: iso(since), ...attempts },
    holds: holds.map(({ tenantId, cause, since: heldSince }) => ({
      cause,
      since: iso(heldSince),
      ofAllTenants: tenantId === "",
    })),
  };
}

/** Returns a person, and records that the operator has read them. Throws NOT_FOUND. */
export async function personForOperator(deps: Deps, operator: SessionPrincipal, id: string): Promise<OperatedPerson> {
  const read = await readPersonOf(deps, operator, id, deps.now());
  if (!read) throw notFound("Person");
  const { person, tenants } = read;
  const { email, name, createdAt, emailVerifiedAt, totpEnabledAt, sessions, apiKeys } = person;
  return {
    id,
    email,
    name,
    createdAt: iso(createdAt),
    suspended: suspendedView(person),
    emailVerified: emailVerifiedAt !== null,
    twoFactorEnabled: totpEnabledAt !== null,
    sessions,
    apiKeys,
    tenants,
  };
}
