/** Who changes connections: an owner of the tenant, or the product with a platform key. */
import { isOnTrial } from "../../base/budgets/reserve";
import type { Deps } from "../../base/deps";
import { emailNotVerified } from "../../base/errors";
import type { PlatformKeyPrincipal, SessionPrincipal } from "../../base/schemas/principal";
import { inTenant } from "../../identity/platform-keys/audit-store";
import { requireTenant } from "../../identity/platform-keys/subjects";
import { readTenantsWithVerifiedOwner } from "../../tenancy/tenants/verified-store";
import type { ConnectionChanger } from "./store";

export const changerOf = ({ tenantId, actor }: SessionPrincipal): ConnectionChanger => ({
  tenantId,
  actor,
  eventsOf: (event) => [{ ...event, tenantId, actor }],
});

/** Throws NOT_FOUND. */
export async function changerBy(deps: Deps, key: PlatformKeyPrincipal, ref: string): Promise<ConnectionChanger> {
  const { tenantId } = await requireTenant(deps, key, ref);
  return {
    tenantId,
    actor: key.actor,
    eventsOf: ({ action, target, meta }) => (target === undefined ? [] : inTenant(key, tenantId, action, target, meta)),
  };
}

/** Whoever makes a connection. Throws EMAIL_NOT_VERIFIED without a verified owner, unless the product vouches. */
export function makerOf(deps: Deps, session: SessionPrincipal): ConnectionChanger {
  if (isOnTrial(deps, session)) throw emailNotVerified();
  return changerOf(session);
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
