/** `/auth/identities` and `/auth/oauth`: signing in with Google, GitHub, Microsoft or another provider. */

import type { Call, CallOptions } from "./call";
import type { IdentityInput, OauthExchange, ProviderName, SignInOptions, TokenPair } from "./generated";
import type { IdentityEndpoints } from "./generated-methods";
import { identityEndpoints } from "./generated-requests";
import { query, segment } from "./path";
import type { TokenStore } from "./token-store";

/**
 * `client.identities`. The sign-in is bound to the browser by cookies, so the page must be on the same site as the
 * service.
 *
 * @example
 * location.href = client.identities.signInUrl("google");
 * // Then, on the page at APP_URL/oauth:
 * await client.identities.exchange({ code: new URLSearchParams(location.search).get("code") ?? "" });
 */
export interface IdentityMethods extends IdentityEndpoints {
  /** Returns the address to send the browser to, for a sign-in. Throws TypeError for an empty name. */
  signInUrl(provider: ProviderName, signIn?: SignInOptions): string;
  /**
   * Opens a session with the code of a sign-in. Returns its tokens, which the client has already stored. Throws
   * INVALID_TOKEN for a code that has expired, was used or belongs to another browser, CONFLICT if an account with the
   * address must be linked first, FORBIDDEN if registration is closed, EMAIL_NOT_VERIFIED, TOTP_REQUIRED (call again
   * with `totp`), INVALID_TOTP, ACCOUNT_LOCKED, and NOT_FOUND for a tenant that the user does not belong to.
   */
  exchange(body: OauthExchange, options?: CallOptions): Promise<TokenPair>;
  /**
   * Begins to add a provider, and returns where to send the browser: it comes back to `APP_URL/oauth` with `linked` or
   * with `error`. Throws STEP_UP_REQUIRED, NOT_FOUND for a provider that is off, SERVICE_UNAVAILABLE while it is down.
   */
  link(provider: ProviderName, body?: IdentityInput, options?: CallOptions): Promise<{ url: string }>;
}

export function identityMethods(call: Call, store: TokenStore, baseUrl: string): IdentityMethods {
  return {
    ...identityEndpoints(call),
    signInUrl: (provider, signIn = {}) => `${baseUrl}/api/v1/auth/oauth/${segment(provider)}${query(signIn)}`,
    exchange: async (body, options) => {
      const request = { ...options, body, as: "nobody", cookies: true } as const;
      const pair = await call.data<TokenPair>("POST /auth/oauth/exchange", request);
      await store.save(pair);
      return pair;
    },
    link: (provider, body = {}, options) =>
      call.data(`POST /auth/identities/${segment(provider)}`, { ...options, body, cookies: true }),
  };
}
