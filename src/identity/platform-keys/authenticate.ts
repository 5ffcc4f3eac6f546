/** Authenticates a platform key in one D1 round trip, which also finds the tenant that the request names. */
import type { Deps } from "../../base/deps";
import type { RequestOrigin } from "../../base/schemas/actor";
import { type PlatformScope, permissionsOfScopes } from "../../base/schemas/platform-scopes";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import type { Permission } from "../../base/schemas/roles";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import type { Standing } from "../../tenancy/tenants/standing-store";
import { platformTenant } from "../../tenancy/tenants/store";
import { parseTenantName } from "../../tenancy/tenants/tenant-name";
import { findByKey, isUseStale } from "../api-keys/known-key";
import { findPlatformKeyByHash, touchPlatformKey } from "./store";

/** Where a key acts that is in no tenant. */
const NOWHERE: Omit<Standing, "databaseBytes"> = {
  tenantId: PLATFORM_TENANT,
  shard: 0,
  tenantExternalId: null,
  isTenantSuspended: false,
  hasVerifiedOwner: true,
  storedBytes: 0,
};

/** What the events of the platform tell of. */
const NEEDED_FOR_PLATFORM: readonly PlatformScope[] = ["users.read", "tenants.read"];

/**
 * The principal of a platform key in the tenant that `named` says; null when the key is unknown, revoked or expired.
 * `isInTenant` is false if the key sees no such tenant. Throws RATE_LIMITED when too many such keys come from
 * `clientIp`.
 */
export async function authenticatePlatformKey(
  deps: Deps,
  key: string,
  named: string,
  clientIp: string,
  origin: RequestOrigin,
): Promise<{ principal: PlatformKeyPrincipal; isInTenant: boolean } | null> {
  const nowMs = deps.now();
  const found = await findByKey(deps, key, clientIp, (hash) =>
    findPlatformKeyByHash(deps, hash, parseTenantName(named), nowMs),
  );
  if (!found) return null;
  const { id, name, lastUsedAt, scopes, tenants, controlPlaneBytes } = found.key;
  if (isUseStale(lastUsedAt, nowMs)) deps.background("platform key use", touchPlatformKey(deps, id, nowMs));
  const tenant = found.tenant ?? (named === PLATFORM_TENANT ? await platformTenant(deps) : null);
  const isInTenant = tenant !== null && (tenants === null || tenants.includes(tenant.tenantId));
  const principal: PlatformKeyPrincipal = {
    kind: "platform-key",
    userId: "",
    ...(isInTenant ? tenant : { ...NOWHERE, databaseBytes: controlPlaneBytes }),
    platformKeyId: id,
    permissions: permissionsIn(named, scopes),
    scopes: new Set(scopes),
    tenants,
    actor: { kind: "platform-key", id, name, sessionId: null, ...origin },
  };
  return { principal, isInTenant };
}

/** Only the service itself publishes in the tenant of the platform. */
function permissionsIn(named: string, scopes: readonly PlatformScope[]): ReadonlySet<Permission> {
  const permissions = permissionsOfScopes(scopes);
  if (named !== PLATFORM_TENANT) return permissions;
  const seesRecords = NEEDED_FOR_PLATFORM.every((needed) => scopes.includes(needed));
  return new Set(seesRecords ? [...permissions].filter((one) => one !== "event.publish") : []);
}
