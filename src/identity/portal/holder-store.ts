/** What the holder of a credential may do at present: of a session, a key or a portal that has opened something. */
import { sql } from "drizzle-orm";
import { queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { type PlatformScope, permissionsOfScopes } from "../../base/schemas/platform-scopes";
import { PERMISSIONS, type Permission, permissionsOf } from "../../base/schemas/roles";
import type { Holder } from "../../webhooks/listen/ticket";
import { SECOND_FACTOR_DUE } from "../tokens/due-store";
import { isRefusedByTenant } from "../tokens/sign-on-due-store";
import { findLiveLink } from "./session-store";

const NONE: ReadonlySet<Permission> = new Set();

/**
 * The permissions in the tenant of whoever holds the credential. None if it has ended, if the holder has left the
 * tenant or owes it a second factor or its sign-on, and while either is suspended.
 */
export async function permissionsOfHolder(
  deps: Deps,
  tenantId: string,
  { kind, id }: Holder,
): Promise<ReadonlySet<Permission>> {
  switch (kind) {
    case "session":
      return permissionsOfSession(deps, tenantId, id);
    case "api-key":
      return permissionsOfApiKey(deps, tenantId, id);
    case "portal":
      return (await findLiveLink(deps, tenantId, id))?.permissions ?? NONE;
    case "setup":
      return NONE;
    case "platform-key":
      return permissionsOfPlatformKey(deps, tenantId, id);
  }
}

async function permissionsOfSession(
  { db, config, now }: Deps,
  tenantId: string,
  id: string,
): Promise<ReadonlySet<Permission>> {
  const found = await queryFirst<{ role: string }>(db)`SELECT m.role FROM sessions s JOIN users u ON u.id = s.user_id
    JOIN memberships m ON m.tenant_id = s.tenant_id AND m.user_id = s.user_id JOIN tenants t ON t.id = s.tenant_id
    WHERE s.id = ${id} AND s.tenant_id = ${tenantId} AND s.expires_at > ${now()} AND u.suspended_at IS NULL
      AND t.suspended_at IS NULL AND coalesce(${SECOND_FACTOR_DUE} > ${now()}, true)
      AND NOT ${isRefusedByTenant(config, sql`s.amr`, now())}`;
  return new Set(permissionsOf(found?.role ?? ""));
}

async function permissionsOfApiKey({ db, now }: Deps, tenantId: string, id: string): Promise<ReadonlySet<Permission>> {
  const key = await queryFirst<{ scopes: string; owner: "user" | "tenant"; role: string | null }>(db)`SELECT k.scopes,
    k.owner, m.role FROM api_keys k JOIN tenants t ON t.id = k.tenant_id LEFT JOIN users u ON u.id = k.user_id
      LEFT JOIN memberships m ON m.tenant_id = k.tenant_id AND m.user_id = k.user_id
    WHERE k.id = ${id} AND k.tenant_id = ${tenantId} AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > ${now()}) AND t.suspended_at IS NULL
      AND (k.owner = 'tenant' OR u.suspended_at IS NULL OR u.keep_api_keys = 1)`;
  if (!key) return NONE;
  const scopes = JSON.parse(key.scopes) as Permission[];
  const ofOwner = key.owner === "tenant" ? PERMISSIONS : permissionsOf(key.role ?? "");
  return new Set(ofOwner.filter((permission) => scopes.includes(permission)));
}

async function permissionsOfPlatformKey(
  { db, now }: Deps,
  tenantId: string,
  id: string,
): Promise<ReadonlySet<Permission>> {
  const key = await queryFirst<{ scopes: string; tenants: string | null }>(db)`SELECT k.scopes, k.tenants
    FROM platform_keys k JOIN tenants t ON t.id = ${tenantId} WHERE k.id = ${id} AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > ${now()}) AND t.suspended_at IS NULL`;
  const tenants = key?.tenants ? (JSON.parse(key.tenants) as string[]) : [tenantId];
  return key && tenants.includes(tenantId) ? permissionsOfScopes(JSON.parse(key.scopes) as PlatformScope[]) : NONE;
}
