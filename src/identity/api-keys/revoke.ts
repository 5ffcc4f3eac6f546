/** Revoking an API key. */
import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import type { Principal } from "../../base/schemas/principal";
import { type MadeByKey, madeBy } from "./made";
import { revokeApiKeyOf } from "./store";

/** Which keys the caller sees: their own and, if they manage members, those of the tenant. */
export const keysSeenBy = ({ tenantId, userId, permissions }: Principal) => ({
  tenantId,
  userId,
  withTenants: permissions.has("member.manage"),
});

/**
 * Revokes one of the caller's keys, or, if the caller may manage members, any key of the tenant. Returns what the key
 * leaves behind. Throws NOT_FOUND.
 */
export async function revokeApiKey(deps: Deps, caller: Principal, id: string): Promise<MadeByKey[]> {
  const ownerId = caller.permissions.has("member.manage") ? null : caller.userId;
  if (!(await revokeApiKeyOf(deps, caller, ownerId, id, deps.now()))) throw notFound("API key");
  return madeBy(deps, caller, id);
}
