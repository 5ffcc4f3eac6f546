/** The document of a provider (OpenID Connect Discovery 1.0): what we take of it, and what we refuse. */
import * as z from "zod";
import type { Deps } from "../../base/deps";
import { jsonOf } from "../../base/json";
import { ID_TOKEN_ALGORITHMS, type StoredProvider } from "../../base/schemas/connection-settings";
import { ProviderUnreachable } from "../../identity/providers/fetch";
import { EndpointRefused, guardedFetch, refusalOfEndpoint } from "./fetch";

const MAX_ISSUER_CHARACTERS = 512;
const WELL_KNOWN = "/.well-known/openid-configuration";

const texts = z.array(z.string()).max(200);

const document = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  userinfo_endpoint: z.string().optional(),
  response_types_supported: texts.optional(),
  grant_types_supported: texts.optional(),
  code_challenge_methods_supported: texts.optional(),
  id_token_signing_alg_values_supported: texts.optional(),
  token_endpoint_auth_methods_supported: texts.optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

/** What is wrong with the provider, as a message for whoever enters its issuer. */
export class DiscoveryFailed extends Error {
  override readonly name = "DiscoveryFailed";
}

/** What is wrong with an issuer, before it is asked; null: nothing. */
export function refusalOfIssuer(deps: Pick<Deps, "config" | "ownHosts">, issuer: string): string | null {
  if (issuer.length > MAX_ISSUER_CHARACTERS) return `Must have at most ${MAX_ISSUER_CHARACTERS} characters`;
  const refusal = refusalOfEndpoint(deps, issuer);
  if (refusal !== null) return refusal;
  const { search, hash, hostname } = new URL(issuer);
  if (search !== "" || hash !== "" || /[?#]/.test(issuer)) return "Must not have a query or a fragment";
  return isNamedHost(deps, hostname) ? null : "Must name a host, not an address";
}

/** Whether it is a DNS name; for providers that a developer runs, an address counts too. */
export const isNamedHost = ({ config }: Pick<Deps, "config">, hostname: string): boolean =>
  config.webhookEgress === "any" || (/^(?=.*[a-z])[a-z0-9.-]+$/i.test(hostname) && !isAddress(hostname));

const isAddress = (hostname: string): boolean => hostname.startsWith("[") || /^[\d.]+$/.test(hostname);

/**
 * Reads the document of an issuer. What it calls itself counts, which may differ by one slash at the end. Throws
 * DiscoveryFailed, whose message quotes nothing of what was read.
 */
export async function readProvider(deps: Deps, issuer: string): Promise<StoredProvider> {
  const refusal = refusalOfIssuer(deps, issuer);
  if (refusal !== null) throw new DiscoveryFailed(refusal);
  const read = document.safeParse(await readDocument(deps, `${withoutSlash(issuer)}${WELL_KNOWN}`));
  if (!read.success) throw new DiscoveryFailed("Has no document of OpenID Connect that names what is needed");
  return providerOf(deps, issuer, read.data);
}

async function readDocument(deps: Deps, url: string): Promise<unknown> {
  try {
    const answer = await guardedFetch(deps)(url, { method: "GET", headers: { Accept: "application/json" } });
    if (answer.status !== 200)
      throw new DiscoveryFailed(
        `Answers ${answer.status} at ${WELL_KNOWN}, not with its document. Enter the whole issuer, with its path`,
      );
    return jsonOf(await answer.text());
  } catch (error) {
    if (error instanceof ProviderUnreachable || error instanceof EndpointRefused) {
      throw new DiscoveryFailed(`Cannot be read: ${error.message}`);
    }
    throw error;
  }
}

function providerOf(deps: Deps, issuer: string, read: z.infer<typeof document>): StoredProvider {
  if (withoutSlash(read.issuer) !== withoutSlash(issuer)) {
    throw new DiscoveryFailed("Calls itself another issuer in its document. Enter the one that it names there");
  }
  const { authorization_endpoint: authorizationEndpoint, token_endpoint: tokenEndpoint, jwks_uri: jwksUri } = read;
  const userinfoEndpoint = read.userinfo_endpoint ?? null;
  for (const endpoint of [authorizationEndpoint, tokenEndpoint, jwksUri, userinfoEndpoint]) {
    const refusal = endpoint === null ? null : refusalOfEndpoint(deps, endpoint);
    if (refusal !== null) throw new DiscoveryFailed(`Names an endpoint that is refused. ${refusal}`);
  }
  const { code_challenge_methods_supported: challenges, token_endpoint_auth_methods_supported: auths } = read;
  if (read.response_types_supported?.includes("code") === false) throw new DiscoveryFailed("Has no code flow");
  if (read.grant_types_supported?.includes("authorization_code") === false) {
    throw new DiscoveryFailed("Has no code grant");
  }
  if (challenges?.includes("S256") === false) throw new DiscoveryFailed("Has PKCE without S256");
  const named = read.id_token_signing_alg_values_supported ?? ["RS256"];
  const algorithms = ID_TOKEN_ALGORITHMS.filter((one) => named.includes(one));
  if (algorithms.length === 0) {
    throw new DiscoveryFailed(`Signs ID tokens with none of ${ID_TOKEN_ALGORITHMS.join(", ")}`);
  }
  return {
    issuer: read.issuer,
    authorizationEndpoint,
    tokenEndpoint,
    jwksUri,
    userinfoEndpoint,
    algorithms,
    isBasicOnly: auths?.includes("client_secret_basic") === true && !auths.includes("client_secret_post"),
    namesIssuer: read.authorization_response_iss_parameter_supported === true,
  };
}

const withoutSlash = (text: string): string => text.replace(/\/$/, "");
