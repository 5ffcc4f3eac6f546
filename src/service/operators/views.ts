/** A tenant and a person as operators see them. */
import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { iso, lastFullHour } from "../../base/time";
import { inEach } from "../../tenancy/moves/places";
import { moveOf } from "../moves/begin";
import { readPersonOf } from "./person-store";
import { receptionOf } from "./reception";
import type { OperatedPerson, OperatedTenant } from "./schemas";
import { signOnView } from "./sign-on-store";
import { findTenantOf, readLoad, type TenantLoad } from "./tenant-store";

const suspendedView = ({ suspendedAt: at, suspendedReason: reason }: Suspended) =>
  at === null ? null : { at: iso(at), reason };

interface Suspended {
  suspendedAt: number | null;
  suspendedReason: string | null;
}

/** Returns a tenant, and records that the operator has read it. Throws NOT_FOUND. */
export async function tenantForOperator(deps: Deps, operator: SessionPrincipal, id: string): Promise<OperatedTenant> {
  const nowMs = deps.now();
  const read = await findTenantOf(deps, operator, id, nowMs);
  if (!read) throw notFound("Tenant");
  const { tenant, owners, signOn } = read;
  const since = lastFullHour(nowMs);
  const [loads, reception, move] = await Promise.all([
    inEach(tenant, (place) => readLoad(deps, place, since)),
    receptionOf(deps, tenant, nowMs),
    moveOf(deps, id),
  ]);
  const { subscriptions, open, attempts, holds } = sumOf(loads);
  const { name, externalId, createdAt, shard, members, apiKeys } = tenant;
  return {
    id,
    externalId,
    name,
    createdAt: iso(createdAt),
    suspended: suspendedView(tenant),
    shard,
    move,
    members,
    apiKeys,
    owners,
    subscriptions,
    ...reception,
    openDeliveries: { count: open.count, isExact: open.isExact },
    oldestDueAt: iso(open.oldestDueAt),
    attempts: { since: iso(since), ...attempts },
    ...(signOn ? { signOn: signOnView(signOn) } : {}),
    holds: holds.map(({ tenantId, cause, since: heldSince }) => ({
      cause,
      since: iso(heldSince),
      ofAllTenants: tenantId === "",
    })),
  };
}

/** What a tenant has in all of its databases. Its former one has copies of its subscriptions and holds. */
function sumOf([present, ...former]: readonly TenantLoad[]): TenantLoad {
  if (!present) throw new Error("no load");
  const all = [present, ...former];
  const sum = (count: (load: TenantLoad) => number) => all.reduce((total, load) => total + count(load), 0);
  const oldest = all.map(({ open }) => open.oldestDueAt).filter((dueAt) => dueAt !== null);
  return {
    ...present,
    open: {
      count: sum(({ open }) => open.count),
      isExact: all.every(({ open }) => open.isExact),
      oldestDueAt: oldest.length === 0 ? null : Math.min(...oldest),
    },
    attempts: { succeeded: sum(({ attempts }) => attempts.succeeded), failed: sum(({ attempts }) => attempts.failed) },
  };
}

/** Returns a person, and records that the operator has read them. Throws NOT_FOUND. */
export async function personForOperator(deps: Deps, operator: SessionPrincipal, id: string): Promise<OperatedPerson> {
  const read = await readPersonOf(deps, operator, id, deps.now());
  if (!read) throw notFound("Person");
  const { person, tenants } = read;
  const { externalId, email, name, createdAt, emailVerifiedAt, totpEnabledAt, sessions, apiKeys } = person;
  return {
    id,
    externalId,
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
