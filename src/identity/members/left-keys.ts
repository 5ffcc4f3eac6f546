/** The API keys of a tenant that a member has made and could not make with another role. */
import type { Deps } from "../../platform/deps";
import { managesMembers, type Role } from "../../platform/schemas/roles";
import type { EndedApiKey } from "./ended-keys";
import { findTenantKeysBy } from "./left-keys-store";

/** Those that work, newest first; all of them for the role null, which stands for somebody who is no member. */
export async function tenantKeysLeftBy(
  deps: Deps,
  member: { tenantId: string; userId: string },
  role: Role | null,
): Promise<EndedApiKey[]> {
  return role !== null && managesMembers(role) ? [] : findTenantKeysBy(deps, member, deps.now());
}
