/** What a client is registered with, besides its name and its secret. */
import type { TokenAlgorithm } from "../crypto/signing-keys";

/** The scopes of OpenID Connect that apps can ask for; `tenant` is ours. */
export const SIGN_IN_SCOPES = ["openid", "profile", "email", "tenant"] as const;
export type SignInScope = (typeof SIGN_IN_SCOPES)[number];

export interface ClientSettings {
  homepageUrl: string | null;
  privacyUrl: string | null;
  termsUrl: string | null;
  redirectUrls: readonly string[];
  scopes: readonly SignInScope[];
  /** `skip`: nobody is asked. For apps of the operator's own. */
  consent: "ask" | "skip";
  /** The only tenants whose members get through, by their ids; null: all. */
  tenants: readonly string[] | null;
  /** Whether people get through whose address is unverified. */
  unverifiedEmail: boolean;
  pkce: "required" | "optional";
  idTokenAlgorithm: TokenAlgorithm;
  /** Whether ID tokens have the claims of the scopes too, and not userinfo alone. */
  idTokenClaims: boolean;
  accessTokenSeconds: number;
  idTokenSeconds: number;
}
