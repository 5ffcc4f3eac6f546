/** What a tenant's connection to its identity provider is set to. */
import type { Role } from "./roles";

/** `directory`: one that provisions people and signs nobody on. */
export const CONNECTION_KINDS = ["oidc", "saml", "directory"] as const;
export const CONNECTION_PROVIDERS = ["okta", "entra", "google", "keycloak", "other"] as const;
export const CONNECTION_STATES = ["draft", "ready", "active", "disabled"] as const;
export type ConnectionKind = (typeof CONNECTION_KINDS)[number];
export type ConnectionProvider = (typeof CONNECTION_PROVIDERS)[number];
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** How we prove ourselves to the provider: with a secret, or with a key of the connection (RFC 7523). */
export const CONNECTION_AUTHS = ["secret", "private_key_jwt"] as const;
export type ConnectionAuth = (typeof CONNECTION_AUTHS)[number];

/** The algorithms of ID tokens that we take. */
export const ID_TOKEN_ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "EdDSA"] as const;
export type IdTokenAlgorithm = (typeof ID_TOKEN_ALGORITHMS)[number];

/** Everybody can have an account there; those of an organisation have its domain. */
export const GOOGLE_ISSUER = "https://accounts.google.com";

export interface OidcSettings {
  /** As the provider's document has it; null: of a draft. */
  issuer: string | null;
  /** Null: of a draft. */
  clientId: string | null;
  clientAuth: ConnectionAuth;
  scopes: string;
}

/** A certificate that a provider signs with. Its key alone counts. */
export interface SigningCertificate {
  /** Base64. */
  der: string;
  /** When it ends, Unix ms. */
  notAfterMs: number;
  /** SHA-256 of the DER, in hex. */
  fingerprint: string;
}

/** The provider of a connection by SAML 2.0; null: of a draft. */
export interface SamlSettings {
  entityId: string | null;
  /** Where people sign in, by the redirect binding. */
  ssoUrl: string | null;
  /** One, or two while one takes the place of the other. */
  certificates: readonly SigningCertificate[];
}

/** Names of claims; dots enter objects where no claim has the whole name. */
export interface AttributeNames {
  subject: "sub" | "oid";
  email: string;
  name: string;
  groups: string;
}

/** Gives a role to whoever is in a group, or has a claim with a value. */
export interface RoleRule {
  group?: string | undefined;
  claim?: string | undefined;
  equals?: string | undefined;
  role: Role;
}

export interface RoleSettings {
  /** The role of whom no rule names; null: nobody gets in without a rule. */
  default: Role | null;
  /** The first that fits counts. */
  rules: readonly RoleRule[];
  /** Whether each sign-on gives the role again, or the first alone. */
  when: "every" | "first";
}

export interface SignOnSessionSettings {
  /** After how many hours the session ends, refreshed or not. */
  hours: number;
  /** How long ago the person may have signed in at the provider; null: however long. */
  maxAgeSeconds: number | null;
  acrValues: readonly string[];
  requireMfa: boolean;
  /** Whether what the provider says of a second factor counts here. */
  trustMfa: boolean;
}

export interface ConnectionSettings {
  oidc: OidcSettings;
  /** Of a connection of the kind `saml` alone. */
  saml?: SamlSettings;
  attributes: AttributeNames;
  provisioning: "jit" | "directory" | "both";
  roles: RoleSettings;
  session: SignOnSessionSettings;
  /** Who is sent here by the domain of an address: browsers that have signed on before, or everybody. */
  discovery: "known" | "domain";
  /** What happens to an address outside the proved domains. */
  outsideDomains: "refuse" | "mailCode";
}

export const DEFAULT_SETTINGS: ConnectionSettings = {
  oidc: { issuer: null, clientId: null, clientAuth: "secret", scopes: "openid email profile" },
  attributes: { subject: "sub", email: "email", name: "name", groups: "groups" },
  provisioning: "jit",
  roles: { default: "member", rules: [], when: "every" },
  session: { hours: 12, maxAgeSeconds: null, acrValues: [], requireMfa: false, trustMfa: false },
  discovery: "known",
  outsideDomains: "refuse",
};

/** What we keep of a provider's document (OpenID Connect Discovery 1.0, section 3). */
export interface StoredProvider {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  jwksUri: string;
  userinfoEndpoint: string | null;
  /** The algorithms of its ID tokens that we take. */
  algorithms: readonly IdTokenAlgorithm[];
  /** Whether it takes a secret in HTTP Basic alone. */
  isBasicOnly: boolean;
  /** Whether its answers name the issuer (RFC 9207). */
  namesIssuer: boolean;
}
