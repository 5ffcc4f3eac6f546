/** Tells the owners of a tenant, once an import, that it adds owners or admins. */
import { sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { managesMembers } from "../../base/schemas/roles";
import type { PersonChange } from "../../identity/people/decide";
import { tellFormerOwners } from "../../tenancy/tenants/owner-notices";
import type { ClaimedImport } from "./run-store";

/** A notice of an import to a tenant. The id begins with a time, by which old ones are removed, and names nobody. */
export interface ImportNotice {
  id: string;
  tenantId: string;
}

/** The notices that a batch gives reason for. */
export async function noticesOf(
  { id, startedAt }: ClaimedImport,
  changes: readonly Pick<PersonChange, "memberships">[],
): Promise<ImportNotice[]> {
  const managed = changes.flatMap(({ memberships }) => memberships.filter(({ role }) => managesMembers(role)));
  const tenantIds = [...new Set(managed.map(({ tenantId }) => tenantId))];
  return Promise.all(
    tenantIds.map(async (tenantId) => ({ id: `${startedAt} ${await sha256Hex(`${id} ${tenantId}`)}`, tenantId })),
  );
}

/** Mails the owners of before the import those notices whose ids are in `due`. */
export function tellOfManagers(
  deps: Deps,
  { actor, startedAt }: ClaimedImport,
  notices: readonly ImportNotice[],
  due: readonly string[],
): void {
  const by = actor.name ?? "A platform key";
  for (const { id, tenantId } of notices) {
    if (due.includes(id)) tellFormerOwners(deps, tenantId, startedAt, { what: "imported", by });
  }
}
