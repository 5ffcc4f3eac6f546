/** Authenticates an API key in one D1 round trip; a mistyped key costs none. */
import type { Deps } from "../../platform/deps";
import type { RequestOrigin } from "../../platform/schemas/actor";
import type { ApiKeyPrincipal } from "../../platform/schemas/principal";
import { standingOf } from "../../tenancy/tenants/standing-store";
import { permissionsOfKey } from "./held";
import { findByKey, isUseStale } from "./known-key";
import { findApiKeyByHash, touchApiKey } from "./store";

/** A key that has ended, as the log line of its request names it. */
export interface EndedKey {
  tenantId: string;
  keyPrefix: string;
}

/**
 * The principal of a key; `ended` for one that was revoked or has expired, or whose owner has left the tenant or is
 * suspended without keeping the keys; null when it is unknown. Throws RATE_LIMITED when too many keys that do not work
 * come from `clientIp`.
 */
export async function authenticateApiKey(
  deps: Deps,
  key: string,
  clientIp: string,
  origin: RequestOrigin,
): Promise<ApiKeyPrincipal | { ended: EndedKey } | null> {
  const nowMs = deps.now();
  let ended: EndedKey | null = null;
  const row = await findByKey(deps, key, clientIp, async (hash) => {
    const found = await findApiKeyByHash(deps, hash, nowMs);
    if (found && found.isLive === 0) ended = { tenantId: found.tenantId, keyPrefix: found.prefix };
    return found?.isLive === 1 ? found : null;
  });
  if (!row) return ended && { ended };
  const { id, name, userId, owner, role, scopes, lastUsedAt } = row;
  if (isUseStale(lastUsedAt, nowMs)) deps.background("API key use", touchApiKey(deps, row.tenantId, id, nowMs));
  const permissions = permissionsOfKey({ owner, role, scopes });
  const actor = { kind: "api-key", id, name, sessionId: null, ...origin } as const;
  return { kind: "api-key", userId, ...standingOf(row), permissions, actor };
}
