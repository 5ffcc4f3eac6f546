/** `/tenants`: the tenants of the signed-in user. */
import type { Call, CallOptions } from "./call";
import type { StepUp, TokenPair } from "./generated";
import type { TenantEndpoints } from "./generated-methods";
import { tenantEndpoints } from "./generated-requests";
import type { TokenStore } from "./token-store";

/**
 * `client.tenants`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * const tenants = await client.tenants.list();
 * const other = tenants.find(({ current }) => !current);
 * if (other) await client.tenants.switchTo(other.id);
 */
export interface TenantMethods extends TenantEndpoints {
  /**
   * Moves this session to another of the user's tenants. Returns its new tokens, which the client has already stored;
   * the old ones end. Throws NOT_FOUND.
   */
  switchTo(tenantId: string, options?: CallOptions): Promise<TokenPair>;
  /**
   * Deletes the tenant of this session for all of its members, and the stored tokens. For owners only. Returns the
   * service's confirmation. Throws FORBIDDEN, and STEP_UP_REQUIRED if the sign-in was more than ten minutes ago and
   * `credentials` is empty; otherwise as `auth.stepUp`.
   */
  remove(credentials?: StepUp, options?: CallOptions): Promise<string>;
}

export const tenantMethods = (call: Call, store: TokenStore): TenantMethods => ({
  ...tenantEndpoints(call),
  switchTo: async (tenantId, options) => {
    const pair = await call.data<TokenPair>("POST /auth/switch-tenant", { ...options, body: { tenantId } });
    await store.save(pair);
    return pair;
  },
  remove: async (credentials = {}, options) => {
    const message = await call.message("DELETE /tenant", { ...options, body: credentials });
    await store.save(null);
    return message;
  },
});
