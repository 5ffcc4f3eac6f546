/** Authenticates an API key in one D1 round trip; a mistyped key costs none. */
import type { Deps } from "../../platform/deps";
import type { RequestOrigin } from "../../platform/schemas/actor";
import type { ApiKeyPrincipal } from "../../platform/schemas/principal";
import { isRole, permissionsOf } from "../../platform/schemas/roles";
import { standingOf } from "../../tenancy/tenants/standing-store";
import { findByKey, isUseStale } from "./known-key";
import { findApiKeyByHash, touchApiKey } from "./store";

/**
 * The principal of a key; null when it is unknown, revoked or expired, or its owner has left the tenant or is suspended
 * without keeping the keys. Throws RATE_LIMITED when too many such keys come from `clientIp`.
 */
export async function authenticateApiKey(
  deps: Deps,
  key: string,
  clientIp: string,
  origin: RequestOrigin,
): Promise<ApiKeyPrincipal | null> {
  const nowMs = deps.now();
  const row = await findByKey(deps, key, clientIp, async (hash) => {
    const found = await findApiKeyByHash(deps, hash, nowMs);
    return found && isRole(found.role) ? found : null;
  });
  if (!row) return null;
  const { id, name, userId, role, scopes, lastUsedAt } = row;
  if (isUseStale(lastUsedAt, nowMs)) deps.background("API key use", touchApiKey(deps, row.tenantId, id, nowMs));
  const permissions = new Set(permissionsOf(role).filter((permission) => scopes.includes(permission)));
  const actor = { kind: "api-key", id, name, sessionId: null, ...origin } as const;
  return { kind: "api-key", userId, ...standingOf(row), permissions, actor };
}
