/** For which API an access token is: one alone, so that none can use it at another (RFC 8707 section 2.2). */
import type { TokenAlgorithm } from "../../base/crypto/signing-keys";
import type { Deps } from "../../base/deps";
import type { ClientRow } from "../clients/store";
import { OAuthError } from "../errors";
import { partsOf, resourceIdsOf, scopesAt } from "../granted-scopes";
import { openScopes } from "../resources/asked";
import { isSameIdentifier } from "../resources/identifier";
import { withOurApi } from "../resources/our-api";
import type { StoredResource } from "../resources/store";
import { userinfoUrl } from "./userinfo-url";

/** An API, with what a token opens there. */
export interface TokenTarget {
  identifier: string;
  /** Null: that of `TOKEN_ALGORITHM`. */
  algorithm: TokenAlgorithm | null;
  scopes: readonly string[];
}

const invalidTarget = () => new OAuthError("invalid_target", "The resource is not one of those that were granted.");

/**
 * The id of the API of a token; null: the token is for userinfo. `named` is the `resource` of the request. `audiences`
 * has the identifiers of the APIs by their ids. Throws OAuthError: invalid_target.
 */
export function targetIdOf(
  deps: Pick<Deps, "config">,
  named: string | null,
  granted: readonly string[],
  audiences: Readonly<Record<string, string>>,
): string | null {
  const ids = resourceIdsOf(granted);
  if (named === null) return ids[0] ?? null;
  if (granted.includes("openid") && isSameIdentifier(userinfoUrl(deps), named)) return null;
  const found = ids.find((id) => isSameIdentifier(audiences[id] ?? "", named));
  if (found === undefined) throw invalidTarget();
  return found;
}

/**
 * What the client still may have of what was granted at the API. `found` is what D1 has of it. Throws OAuthError:
 * invalid_target for one that is not there any more, or not for this client.
 */
export function targetOf(
  deps: Pick<Deps, "config">,
  client: ClientRow,
  granted: readonly string[],
  id: string,
  found: readonly StoredResource[],
): TokenTarget {
  const resource = withOurApi(deps, found).find((one) => one.id === id);
  const open = resource && openScopes(client, resource);
  const scopes = scopesAt(granted, id).filter((scope) => open?.some(({ name }) => name === scope));
  if (!resource || scopes.length === 0) throw invalidTarget();
  return { identifier: resource.identifier, algorithm: resource.settings.algorithm, scopes };
}

/** The granted scopes that a request names (RFC 6749 section 6); all without any. Throws invalid_scope for others. */
export function narrowed(named: string | null, granted: readonly string[]): readonly string[] {
  const asked = (named ?? "").split(" ").filter(Boolean);
  const names = granted.map((one) => partsOf(one).scope);
  if (asked.some((scope) => !names.includes(scope))) {
    throw new OAuthError("invalid_scope", "scope has what the person has not allowed.");
  }
  return asked.length === 0 ? granted : granted.filter((one) => asked.includes(partsOf(one).scope));
}
