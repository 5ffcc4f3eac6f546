/** What a client is registered with, besides its name and its secret. */
import type { TokenAlgorithm } from "../crypto/signing-keys";

/** The scopes of OpenID Connect that apps can ask for; `tenant` is ours. */
export const SIGN_IN_SCOPES = ["openid", "profile", "email", "tenant", "offline_access"] as const;
export type SignInScope = (typeof SIGN_IN_SCOPES)[number];

/** How an app can get tokens. */
export const GRANT_TYPES = ["authorization_code", "refresh_token", "client_credentials", "device_code"] as const;
export type GrantType = (typeof GRANT_TYPES)[number];
/** The name of `device_code` at the token endpoint (RFC 8628 section 3.4). */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** Whether access tokens are bound to a key of the app (RFC 9449): never, when it shows one, or always. */
export const DPOP_MODES = ["off", "allowed", "required"] as const;
export type DpopMode = (typeof DPOP_MODES)[number];

/**
 * How we know an app: it was registered, or it has told us itself by its metadata document, which operators may have
 * listed, or by a registration.
 */
export const CLIENT_KINDS = ["registered", "metadata", "listed", "registration", "built-in"] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];
/** Whether nobody stands for it: neither an operator, nor we. */
export const isUnlistedKind = (kind: ClientKind): boolean => ["metadata", "listed", "registration"].includes(kind);

/** How an app proves itself: with a secret, with assertions that its key signs (RFC 7523), or not at all. */
export const CLIENT_AUTHS = ["secret", "private_key_jwt", "none"] as const;
export type ClientAuth = (typeof CLIENT_AUTHS)[number];

/** The algorithms of those assertions, and of proofs of a key (RFC 9449). */
export const ASSERTION_ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"] as const;

/** Public keys, as JWKs. */
export interface ClientKeySet {
  keys: Record<string, unknown>[];
}

/** What an app may ask for at an API: all scopes (`*`), or these. */
export interface ClientResource {
  identifier: string;
  scopes: readonly string[];
}

export interface ClientSettings {
  logoUrl: string | null;
  homepageUrl: string | null;
  privacyUrl: string | null;
  termsUrl: string | null;
  /** Where our pages lead that have no request of the app (OpenID Connect Core 4). */
  initiateLoginUrl: string | null;
  /** Where the app is told of sign-ins that end (OpenID Connect Back-Channel Logout 1.0). */
  backchannelLogoutUrl: string | null;
  /** The public keys of an app that proves itself with them; null for others. */
  jwks: ClientKeySet | null;
  /** Where the app publishes them instead. */
  jwksUrl: string | null;
  redirectUrls: readonly string[];
  /** Where people may go after they have signed out. */
  postLogoutUrls: readonly string[];
  grants: readonly GrantType[];
  scopes: readonly SignInScope[];
  resources: readonly ClientResource[];
  /** `skip`: nobody is asked. For apps of the operator's own. */
  consent: "ask" | "skip";
  /** The only tenants whose members get through, by their ids; null: all. */
  tenants: readonly string[] | null;
  /** Whether people get through whose address is unverified. */
  unverifiedEmail: boolean;
  pkce: "required" | "optional";
  /** Whether the app must push its requests (RFC 9126). */
  pushedOnly: boolean;
  dpop: DpopMode;
  /** What each sign-in must have: a second factor, or a passkey; null: neither. */
  acr: "mfa" | "phr" | null;
  idTokenAlgorithm: TokenAlgorithm;
  /** Whether ID tokens have the claims of the scopes too, and not userinfo alone. */
  idTokenClaims: boolean;
  accessTokenSeconds: number;
  idTokenSeconds: number;
  /** How long an offline grant lasts that is not used, and how long at most. */
  idleDays: number;
  maxDays: number;
}

/** What clients have that were registered before these settings. */
export const LATER_SETTINGS = {
  logoUrl: null,
  initiateLoginUrl: null,
  backchannelLogoutUrl: null,
  jwks: null,
  jwksUrl: null,
  acr: null,
  postLogoutUrls: [],
  grants: ["authorization_code", "refresh_token"],
  pushedOnly: false,
  dpop: "off",
  resources: [],
  idleDays: 30,
  maxDays: 90,
} as const satisfies Partial<ClientSettings>;
