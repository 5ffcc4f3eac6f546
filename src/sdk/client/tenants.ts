/** `/tenants`: the tenants of the signed-in user. */

import type { Call, CallOptions } from "./call";
import type { Membership, StepUp, TenantExport, TenantSecurity, TenantSecurityChange, TokenPair } from "./generated";
import { type Listed, listed } from "./pages";
import type { TokenStore } from "./token-store";

/**
 * `client.tenants`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * const tenants = await client.tenants.list();
 * const other = tenants.find(({ current }) => !current);
 * if (other) await client.tenants.switchTo(other.id);
 */
export interface TenantMethods {
  /** Returns the tenants that the user is a member of, last used first. Throws UNAUTHENTICATED. */
  list(options?: CallOptions): Listed<Membership>;
  /**
   * Moves this session to another of the user's tenants. Returns its new tokens, which the client has already stored;
   * the old ones end. Throws NOT_FOUND.
   */
  switchTo(tenantId: string, options?: CallOptions): Promise<TokenPair>;
  /** Returns what the tenant of this session requires of its members. Throws FORBIDDEN. */
  security(options?: CallOptions): Promise<TenantSecurity>;
  /**
   * Requires a second factor of all members, of owners and admins, or of none, and returns the policy. For owners only.
   * Throws FORBIDDEN, STEP_UP_REQUIRED if the sign-in was more than ten minutes ago, and SECOND_FACTOR_REQUIRED for a
   * caller who has none.
   */
  updateSecurity(body: TenantSecurityChange, options?: CallOptions): Promise<TenantSecurity>;
  /**
   * Returns what the service keeps about the tenant of this session, without secrets and payloads. For owners only.
   * Reads the whole answer into memory, so give a large tenant a long `timeoutMs`. Throws FORBIDDEN, STEP_UP_REQUIRED.
   */
  export(options?: CallOptions): Promise<TenantExport>;
  /**
   * Deletes the tenant of this session for all of its members, and the stored tokens. For owners only. Returns the
   * service's confirmation. Throws FORBIDDEN, and STEP_UP_REQUIRED if the sign-in was more than ten minutes ago and
   * `credentials` is empty; otherwise as `auth.stepUp`.
   */
  remove(credentials?: StepUp, options?: CallOptions): Promise<string>;
}

export const tenantMethods = (call: Call, store: TokenStore): TenantMethods => ({
  list: (options) => listed(call.data("GET /tenants", options)),
  switchTo: async (tenantId, options) => {
    const pair = await call.data<TokenPair>("POST /auth/switch-tenant", { ...options, body: { tenantId } });
    await store.save(pair);
    return pair;
  },
  security: (options) => call.data("GET /tenant/security", options),
  updateSecurity: (body, options) => call.data("PATCH /tenant/security", { ...options, body }),
  export: (options) => call.data("GET /tenant/export", options),
  remove: async (credentials = {}, options) => {
    const message = await call.message("DELETE /tenant", { ...options, body: credentials });
    await store.save(null);
    return message;
  },
});
