/** Who changes connections: an owner of the tenant, the product with a platform key, or somebody with a setup link. */
import { isOnTrial } from "../../base/budgets/reserve";
import type { Deps } from "../../base/deps";
import { emailNotVerified, notFound } from "../../base/errors";
import type { PlatformKeyPrincipal, Principal } from "../../base/schemas/principal";
import { inTenant } from "../../identity/platform-keys/audit-store";
import { requireTenant } from "../../identity/platform-keys/subjects";
import { readTenantsWithVerifiedOwner } from "../../tenancy/tenants/verified-store";
import type { ConnectionChanger } from "./store";

export function changerOf(caller: Principal): ConnectionChanger {
  const { tenantId, actor } = caller;
  return {
    tenantId,
    actor,
    setupLinkId: caller.kind === "setup" ? actor.id : null,
    eventsOf: (event) => [{ ...event, tenantId, actor }],
  };
}

/** The id of a connection, if the caller reaches it: a setup link reaches its own alone. Throws NOT_FOUND. */
export function reached(caller: Principal, id: string): string {
  if (caller.kind === "setup" && caller.setup.connectionId !== id) throw notFound("Connection");
  return id;
}

/** Throws NOT_FOUND. */
export async function changerBy(deps: Deps, key: PlatformKeyPrincipal, ref: string): Promise<ConnectionChanger> {
  const { tenantId } = await requireTenant(deps, key, ref);
  return {
    tenantId,
    actor: key.actor,
    setupLinkId: null,
    eventsOf: ({ action, target, meta }) => (target === undefined ? [] : inTenant(key, tenantId, action, target, meta)),
  };
}

/** Whoever makes a connection. Throws EMAIL_NOT_VERIFIED without a verified owner, unless the product vouches. */
export function makerOf(deps: Deps, caller: Principal): ConnectionChanger {
  if (isOnTrial(deps, caller)) throw emailNotVerified();
  return changerOf(caller);
}

/** As `makerOf`. Throws NOT_FOUND too. */
export async function makerBy(deps: Deps, key: PlatformKeyPrincipal, ref: string): Promise<ConnectionChanger> {
  const changer = await changerBy(deps, key, ref);
  const hasVerifiedOwner = (await readTenantsWithVerifiedOwner(deps, [changer.tenantId])).has(changer.tenantId);
  if (isOnTrial(deps, { tenantId: changer.tenantId, hasVerifiedOwner })) throw emailNotVerified();
  return changer;
}

/** The tenant that a platform key reads of. Throws NOT_FOUND. */
export const tenantOf = async (deps: Deps, key: PlatformKeyPrincipal, ref: string): Promise<string> =>
  (await requireTenant(deps, key, ref)).tenantId;
