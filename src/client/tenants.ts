/** `/tenants`: the tenants of the signed-in user. */
import type { TokenPair } from "./auth";
import type { Call, CallOptions } from "./call";
import type { TokenStore } from "./token-store";
import type { Role, Tenant } from "./types";

/** A tenant that the user is a member of. */
export interface Membership extends Tenant {
  role: Role;
  /** True for the tenant of this session. */
  current: boolean;
}

/**
 * `client.tenants`, for signed-in users; an API key gets UNAUTHENTICATED.
 *
 * @example
 * const tenants = await client.tenants.list();
 * const other = tenants.find(({ current }) => !current);
 * if (other) await client.tenants.switchTo(other.id);
 */
export interface TenantMethods {
  /** Returns the tenants that the user is a member of, the one used last first. Throws UNAUTHENTICATED. */
  list(options?: CallOptions): Promise<Membership[]>;
  /**
   * Moves this session to another of the user's tenants. Returns its new tokens, which the client has already stored; the old ones end.
   * Throws NOT_FOUND.
   */
  switchTo(tenantId: string, options?: CallOptions): Promise<TokenPair>;
}

export const tenantMethods = (call: Call, store: TokenStore): TenantMethods => ({
  list: (options) => call.data("GET /tenants", options),
  switchTo: async (tenantId, options) => {
    const pair = await call.data<TokenPair>("POST /auth/switch-tenant", { ...options, body: { tenantId } });
    await store.save(pair);
    return pair;
  },
});
