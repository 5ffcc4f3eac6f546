/** The API keys of a tenant that a member has made and could not make with another role. */
import type { Deps } from "../../base/deps";
import { managesMembers, type Role } from "../../base/schemas/roles";
import { listTenantsOfUser } from "../../tenancy/tenants/store";
import { type EndedApiKey, namesOfKeys } from "./ended-keys";
import { readTenantKeysBy } from "./left-keys-store";
import { MAX_NAMED } from "./left-subscriptions";

/** Those that work, newest first; all of them for the role null, which stands for somebody who is no member. */
export async function tenantKeysLeftBy(
  deps: Deps,
  member: { tenantId: string; userId: string },
  role: Role | null,
): Promise<EndedApiKey[]> {
  return role !== null && managesMembers(role) ? [] : readTenantKeysBy(deps, member, deps.now());
}

/** Those that a user made before a time (Unix ms), in any of their tenants, as a mail names them. */
export async function namesOfOlderKeys(deps: Deps, userId: string, beforeMs: number): Promise<string[]> {
  const older: EndedApiKey[] = [];
  for (const { id: tenantId } of await listTenantsOfUser(deps, userId)) {
    const made = await readTenantKeysBy(deps, { tenantId, userId }, deps.now());
    older.push(...made.filter(({ createdAt }) => createdAt < beforeMs));
    if (older.length >= MAX_NAMED) break;
  }
  return namesOfKeys(older.slice(0, MAX_NAMED));
}
