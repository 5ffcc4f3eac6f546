/** Whose domains change: the caller's tenant, or the one that a platform key names. */
import type { Deps } from "../../base/deps";
import type { PlatformKeyPrincipal, Principal } from "../../base/schemas/principal";
import { inTenant } from "../../identity/platform-keys/audit-store";
import { requireTenant } from "../../identity/platform-keys/subjects";
import type { DomainHolder } from "./domains";

export const ownTenant = ({ kind, tenantId, actor }: Principal): DomainHolder => ({
  tenantId,
  isInSetup: kind === "setup",
  by: actor.name ?? "",
  eventsOf: (action, meta) => [{ tenantId, action, actor, target: targetOf(meta), meta }],
});

/** Throws NOT_FOUND. */
export async function namedTenant(deps: Deps, key: PlatformKeyPrincipal, ref: string): Promise<DomainHolder> {
  const { tenantId } = await requireTenant(deps, key, ref);
  return {
    tenantId,
    isInSetup: false,
    by: key.actor.name ?? "",
    eventsOf: (action, meta) => inTenant(key, tenantId, action, targetOf(meta), meta),
  };
}

const targetOf = ({ domain = "" }: Readonly<Record<string, string>>) => ({ kind: "domain", id: domain }) as const;
