/** Authenticates an API key in one D1 round trip; a mistyped key costs none. */

import { sha256Hex } from "../../platform/crypto/encoding";
import type { Deps } from "../../platform/deps";
import type { RequestOrigin } from "../../platform/schemas/actor";
import type { ApiKeyPrincipal } from "../../platform/schemas/principal";
import { isRole, permissionsOf } from "../../platform/schemas/roles";
import { isApiKey } from "./key";
import { findApiKeyByHash, touchApiKey } from "./store";
import { countUnknownKey, refuseUnknownKeys, rememberGoodKey } from "./unknown-keys";

const USE_RESOLUTION_MS = 60_000;

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
  if (!isApiKey(key)) return null;
  const nowMs = deps.now();
  const hash = await sha256Hex(key);
  refuseUnknownKeys(deps, hash, clientIp);
  const row = await findApiKeyByHash(deps, hash, nowMs);
  if (!row || !isRole(row.role)) {
    await countUnknownKey(deps, clientIp);
    return null;
  }
  rememberGoodKey(hash);
  const { tenantId, shard, userId, role, storedBytes, databaseBytes } = row;
  const hasVerifiedOwner = row.hasVerifiedOwner === 1;
  const isTenantSuspended = row.isTenantSuspended === 1;
  if (row.lastUsedAt === null || nowMs - row.lastUsedAt >= USE_RESOLUTION_MS) {
    deps.background("API key use", touchApiKey(deps, tenantId, row.id, nowMs));
  }
  const permissions = new Set(permissionsOf(role).filter((permission) => row.scopes.includes(permission)));
  const actor = { kind: "api-key", id: row.id, name: row.name, sessionId: null, ...origin } as const;
  const standing = { hasVerifiedOwner, storedBytes, databaseBytes };
  return { kind: "api-key", userId, tenantId, shard, ...standing, isTenantSuspended, role, permissions, actor };
}
