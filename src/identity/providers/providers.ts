/** The providers that people can sign in with: their endpoints and the scopes that are asked for. */
import * as oauth from "oauth4webapi";
import * as z from "zod";
import { BoundedMap } from "../../base/bounded-map";
import type { Config } from "../../base/config/config";
import type { ProviderClient } from "../../base/config/provider-settings";
import type { Deps } from "../../base/deps";
import { jsonOf } from "../../base/json";
import type { ProviderName } from "../../base/schemas/schemas";
import { FlowError } from "./failure";
import { boundedFetch } from "./fetch";

const DISCOVERY_FRESH_MS = 10 * 60_000;

/** The cookies that bind a sign-in to one browser: one for the state of the flow, one for its result. */
export const FLOW_COOKIE = "oauth-flow";
export const RESULT_COOKIE = "oauth-outcome";

/** Whether people can sign in with any provider. */
export const hasProviders = ({ providers }: Config): boolean => Object.values(providers).some(Boolean);

/** A provider whose client id is set. `scope` is what the user is asked to share. */
export interface Provider {
  name: ProviderName;
  client: ProviderClient;
  scope: string;
}

const SCOPES: Record<ProviderName, string> = {
  google: "openid email profile",
  github: "user:email",
  microsoft: "openid email profile",
  oidc: "openid email profile",
};

/** Returns a provider that is on; undefined for every other name. */
export function findProvider({ providers }: Config, name: string): Provider | undefined {
  if (!isProviderName(name)) return undefined;
  const client = providers[name];
  return client && { name, client, scope: SCOPES[name] };
}

const isProviderName = (name: string): name is ProviderName => Object.hasOwn(SCOPES, name);

const RS256 = { id_token_signing_alg_values_supported: ["RS256"] };

/** From the provider's discovery document. Fixed here, so that a sign-in needs one request less. */
const GOOGLE: oauth.AuthorizationServer = {
  issuer: "https://accounts.google.com",
  authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
  token_endpoint: "https://oauth2.googleapis.com/token",
  jwks_uri: "https://www.googleapis.com/oauth2/v3/certs",
  ...RS256,
};

/** Not an OpenID Connect provider: it has no ID tokens. */
const GITHUB: oauth.AuthorizationServer = {
  issuer: "https://github.com/login/oauth",
  authorization_endpoint: "https://github.com/login/oauth/authorize",
  token_endpoint: "https://github.com/login/oauth/access_token",
};

/** For accounts of every organisation; see `microsoftIssuer`. */
const MICROSOFT: oauth.AuthorizationServer = {
  issuer: "https://login.microsoftonline.com/common/v2.0",
  authorization_endpoint: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
  token_endpoint: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
  jwks_uri: "https://login.microsoftonline.com/common/discovery/v2.0/keys",
  ...RS256,
};

const MICROSOFT_TENANT = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Each organisation at Microsoft is its own issuer, which the claim `tid` names. Undefined for a claim that names none.
 */
export const microsoftIssuer = (tid: unknown): string | undefined =>
  typeof tid === "string" && MICROSOFT_TENANT.test(tid) ? `https://login.microsoftonline.com/${tid}/v2.0` : undefined;

const MICROSOFT_ISSUER = /^https:\/\/login\.microsoftonline\.com\/([^/]+)\/v2\.0$/;

/** Whether it is an organisation at Microsoft, with which people sign in there or at the generic provider. */
export const isMicrosoftIssuer = (issuer: string): boolean => MICROSOFT_ISSUER.test(issuer);

/**
 * The issuer of the people at a provider, with which their identities are stored. At Microsoft each organisation has
 * its own, so it must be given; elsewhere another one is refused, but for a trailing slash. Null if it is missing or
 * not one that people can sign in with.
 */
export async function issuerOf(deps: Deps, name: ProviderName, given: string | undefined): Promise<string | null> {
  if (name === "microsoft") return microsoftIssuer(given?.match(MICROSOFT_ISSUER)?.[1]) ?? null;
  if (name !== "oidc") return isIssuer(given, FIXED[name].issuer) ? FIXED[name].issuer : null;
  const setting = deps.config.providers.oidc?.issuer;
  if (setting === undefined) return null;
  const issuer = (await discoveredIssuer(deps)) ?? setting;
  return isIssuer(given, issuer) || isIssuer(given, setting) ? issuer : null;
}

const isIssuer = (given: string | undefined, issuer: string): boolean =>
  given === undefined || isSameIssuer(given, issuer);

const isSameIssuer = (one: string, other: string): boolean => one.replace(/\/$/, "") === other.replace(/\/$/, "");

/** What the generic provider calls itself, if that is not what the setting says; null too if it does not answer. */
export async function unexpectedIssuer(deps: Deps): Promise<string | null> {
  const setting = deps.config.providers.oidc?.issuer;
  const issuer = setting === undefined ? null : await discoveredIssuer(deps);
  return setting === undefined || issuer === null || isSameIssuer(issuer, setting) ? null : issuer;
}

/** Null if the generic provider does not answer as it should. */
async function discoveredIssuer(deps: Deps): Promise<string | null> {
  try {
    return (await serverOf(deps, { name: "oidc" })).issuer;
  } catch {
    return null;
  }
}

const FIXED = { google: GOOGLE, github: GITHUB, microsoft: MICROSOFT };

/** More than a deployment has. */
const MAX_DISCOVERED = 5;
/** Discovery documents by issuer. Plain data and no promises: requests of one isolate must not share pending work. */
const discovered = new BoundedMap<{ server: oauth.AuthorizationServer; readAt: number }>(MAX_DISCOVERED);

/**
 * Returns a provider's endpoints; discovers those of the generic provider. Throws like oauth4webapi, and
 * ProviderUnreachable.
 */
export async function serverOf(
  { config, now }: Deps,
  { name }: Pick<Provider, "name">,
): Promise<oauth.AuthorizationServer> {
  // A copy, because oauth4webapi caches promises by the object that it is given.
  if (name !== "oidc") return { ...FIXED[name] };
  const issuer = config.providers.oidc?.issuer ?? "";
  const known = discovered.get(issuer);
  if (known && now() - known.readAt < DISCOVERY_FRESH_MS) return { ...known.server };
  const url = new URL(issuer);
  const response = await oauth.discoveryRequest(url, requestOptions(issuer));
  // What the provider calls itself counts, as in its tokens: the setting may differ, which /health?deep=1 names.
  const said = z.object({ issuer: z.url() }).safeParse(jsonOf(await response.clone().text())).data;
  const server = await oauth.processDiscoveryResponse(said ? new URL(said.issuer) : url, response);
  refuseForeign(url, server.issuer);
  discovered.set(issuer, { server, readAt: now() });
  return { ...server };
}

/** Throws for a provider that passes for another one that people sign in with here: identities are known by issuer. */
function refuseForeign(setting: URL, issuer: string): void {
  const fixed = [GOOGLE, GITHUB, MICROSOFT].map((server) => new URL(server.issuer).host);
  const host = new URL(issuer).host;
  if (host !== setting.host && fixed.includes(host)) throw new FlowError("invalid_response", "a foreign issuer");
}

/** How oauth4webapi makes requests to a provider. A development provider on localhost has no TLS. */
export const requestOptions = (issuer: string) => ({
  [oauth.customFetch]: boundedFetch,
  [oauth.allowInsecureRequests]: issuer.startsWith("http:"),
});
