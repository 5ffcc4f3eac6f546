/** Authenticates an API key in one D1 round trip; a mistyped key costs none, nor does one that is remembered. */
import type { Deps } from "../../base/deps";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { ApiKeyPrincipal } from "../../base/schemas/principal";
import type { Permission } from "../../base/schemas/roles";
import { standingOf } from "../../tenancy/tenants/standing-store";
import { findByKey, isUseStale } from "./known-key";
import { permissionsOfKey } from "./permissions";
import { recallKey, rememberKey } from "./remembered";
import { findApiKeyByHash, type KnownKey, touchApiKey } from "./store";

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
    if (!found) return null;
    const isStale = isUseStale(found.lastUsedAt, nowMs);
    rememberKey(hash, isStale ? { ...found, lastUsedAt: nowMs } : found);
    if (found.isLive === 0) {
      ended = { tenantId: found.tenantId, keyPrefix: found.prefix };
      return null;
    }
    if (isStale) deps.background("API key use", touchApiKey(deps, found.tenantId, found.id, nowMs));
    return found;
  });
  return row ? principalOf(row, origin) : ended && { ended };
}

/**
 * The principal of a key that this isolate remembers, or null. It is only for a batch that begins with its `recheck`,
 * and for nothing that refuses.
 */
export async function recallApiKey(deps: Deps, key: string, origin: RequestOrigin): Promise<ApiKeyPrincipal | null> {
  const known = await recallKey(deps, key);
  return known && { ...principalOf(known, origin), recheck: known.recheck };
}

function principalOf(key: KnownKey, origin: RequestOrigin): ApiKeyPrincipal {
  const { id, name, userId, owner, role } = key;
  const permissions = permissionsOfKey({ owner, role, scopes: JSON.parse(key.scopes) as Permission[] });
  const actor = { kind: "api-key", id, name, sessionId: null, ...origin } as const;
  return { kind: "api-key", userId, ...standingOf(key), permissions, actor };
}
