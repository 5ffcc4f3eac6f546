/** The API keys of a member of the current tenant. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { listApiKeys } from "../../identity/api-keys/store";

/** The working keys of a user in the current tenant, without those of the tenant itself. */
export function keysOf(c: Context<AppEnv>, userId: string) {
  const deps = c.get("deps");
  const { tenantId } = c.get("principal");
  return listApiKeys(deps, { tenantId, userId, withTenants: false }, deps.now());
}
