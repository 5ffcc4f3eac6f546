/** Which APIs a request is about, and what it gets there (RFC 8707). */
import type { Deps } from "../../base/deps";
import { isUnlistedKind } from "../../base/schemas/client-settings";
import type { ResourceScope } from "../../base/schemas/resource-settings";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import type { ClientRow } from "../clients/store";
import { OAuthError } from "../errors";
import { ofResource } from "../granted-scopes";
import { isSameIdentifier, spellings } from "./identifier";
import { storedIdentifier } from "./our-api";
import type { ResourceRow } from "./store";

const MAX_RESOURCES = 5;
/** So that what carries them stays short enough for an address. */
const MAX_GRANTED_CHARACTERS = 2000;

const invalidTarget = (description: string) => new OAuthError("invalid_target", description);

/** What D1 is asked for where a request names these resources. */
export const askedIdentifiers = (deps: Pick<Deps, "config">, named: readonly string[]): string[] =>
  named.slice(0, MAX_RESOURCES).flatMap((one) => [...spellings(one), storedIdentifier(deps, one)]);

/** The scopes of a resource that the client may have; undefined if it may have none. */
export function openScopes(client: ClientRow, resource: ResourceRow): readonly ResourceScope[] | undefined {
  const { clients, unlisted, forTenants, scopes } = resource.settings;
  const isOfClientsOwner = resource.tenantId === client.tenantId;
  const isReached = client.tenantId === PLATFORM_TENANT || isOfClientsOwner || (forTenants && isOfPlatform(resource));
  if (!resource.enabled || !isReached || (clients !== null && !clients.includes(client.id))) return undefined;
  if (isUnlistedKind(client.kind)) return unlisted ? scopes : undefined;
  const listed = client.settings.resources.find(({ identifier }) => isSameIdentifier(identifier, resource.identifier));
  return listed && scopes.filter(({ name }) => listed.scopes.includes("*") || listed.scopes.includes(name));
}

const isOfPlatform = ({ tenantId }: ResourceRow): boolean => tenantId === PLATFORM_TENANT;

/** What is asked for at APIs. */
interface AskedAtResources {
  resources: readonly ResourceRow[];
  /** See `granted-scopes.ts`. */
  scopes: readonly string[];
}

/** What a request says of APIs. */
interface Asking {
  /** The resources that it names. */
  named: readonly string[];
  /** The scopes that it names beside those of sign-in; without any, it gets the default ones of a named resource. */
  asked: readonly string[];
  /** Whether it names no scope at all: then the client's only resource counts as named. */
  isBare: boolean;
}

/**
 * `known` are the resources that D1 has of those that the request names, and of the client's. Throws OAuthError:
 * invalid_target, and invalid_scope for a named resource at which nothing is left.
 */
export function resourcesAsked(
  client: ClientRow,
  { named, asked, isBare }: Asking,
  known: readonly ResourceRow[],
): AskedAtResources {
  if (named.length > MAX_RESOURCES) throw invalidTarget("At most five resources can be named.");
  const open = known.flatMap((resource) => {
    const scopes = openScopes(client, resource);
    return scopes ? [{ resource, scopes }] : [];
  });
  const wanted = named.map((name) => {
    const found = open.find(({ resource }) => isSameIdentifier(resource.identifier, name));
    if (!found) throw invalidTarget("The resource is unknown, or not for this app.");
    return found;
  });
  const targets = wanted.length > 0 ? [...new Set(wanted)] : implied(open, asked, isBare);
  const granted = targets.map(({ resource, scopes }) => {
    const names = scopes
      .filter(({ name, default: isDefault }) => (asked.length === 0 ? isDefault === true : asked.includes(name)))
      .map(({ name }) => name);
    if (names.length === 0 && wanted.length > 0) {
      throw new OAuthError("invalid_scope", "scope names nothing that the app may have at the resource.");
    }
    return { resource, scopes: names.map((name) => ofResource(resource.id, name)) };
  });
  const scopes = granted.flatMap((one) => one.scopes);
  if (scopes.join(" ").length > MAX_GRANTED_CHARACTERS) {
    throw new OAuthError("invalid_scope", "scope names too much at once.");
  }
  return { resources: granted.filter((one) => one.scopes.length > 0).map(({ resource }) => resource), scopes };
}

/** The only resource that has one of the scopes, or the client's only one where it names none. */
function implied<T extends { scopes: readonly ResourceScope[] }>(
  open: readonly T[],
  asked: readonly string[],
  isBare: boolean,
): T[] {
  if (asked.length === 0) return isBare && open.length === 1 ? [...open] : [];
  const possible = open.filter(({ scopes }) => scopes.some(({ name }) => asked.includes(name)));
  if (possible.length > 1) throw invalidTarget("resource must say at which API the scopes are asked for.");
  return possible;
}
