/** Registering, changing and ending the APIs that take our tokens. Our own is always there. */
import { sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { AppError, changedMeanwhile, notFound, orNotFound, refuseInvalid } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { iso } from "../../base/time";
import type { Registrar } from "../registrar";
import { isSameIdentifier, spellings } from "./identifier";
import { API_RESOURCE, isRegisteredId, newResourceId, newResourceSecret, shownSecret } from "./keys";
import { apiUrl, ourApi } from "./our-api";
import { requireProof } from "./proof";
import type { NewResource, ResourceChange, ResourceView } from "./schemas";
import type { ResourceRow } from "./store";
import * as store from "./store";

export function resourceView(row: ResourceRow): ResourceView {
  const { id, tenantId, name, identifier, settings, enabled, secretPrefix } = row;
  const { scopes, clients, unlisted, forTenants, algorithm, tenantRequired } = settings;
  return {
    id,
    owner: tenantId === PLATFORM_TENANT ? "platform" : "tenant",
    name,
    identifier,
    scopes: [...scopes],
    clients: clients && [...clients],
    unlisted,
    forTenants,
    algorithm,
    tenantRequired,
    enabled,
    ...(secretPrefix === null ? {} : { secretPrefix }),
    createdAt: row.createdAt === 0 ? null : iso(row.createdAt),
    updatedAt: row.updatedAt === 0 ? null : iso(row.updatedAt),
  };
}

/** Audiences that are ours: a token for them is no token for another API. */
function refuseOurs(deps: Deps, identifier: string | undefined): void {
  const { tokenAudience, tokenIssuer } = deps.config;
  const isOurs =
    identifier !== undefined &&
    (identifier === tokenAudience ||
      [apiUrl(deps), tokenIssuer].some((own) => isSameIdentifier(own, identifier)) ||
      identifier.startsWith(`${tokenIssuer}/`));
  refuseInvalid(isOurs ? [{ path: "identifier", message: "Must not be an address of this service" }] : []);
}

/** Throws VALIDATION_FAILED for a tenant's resource that clients of all tenants would reach. */
function refuseForTenants({ ownerId }: Registrar, isForTenants: boolean | undefined): void {
  const isRefused = ownerId !== PLATFORM_TENANT && isForTenants === true;
  refuseInvalid(isRefused ? [{ path: "forTenants", message: "For resources of the platform alone" }] : []);
}

/** How many resources an owner may have. */
const capOn = (ownerId: string) => (ownerId === PLATFORM_TENANT ? "resources" : "tenantResources");

/** The resources of an owner; of the platform, ours first. */
export async function resourcesOf(deps: Deps, ownerId: string): Promise<ResourceRow[]> {
  const found = await store.listResources(deps, ownerId);
  if (ownerId !== PLATFORM_TENANT) return found;
  return [apiOf(deps, found), ...found.filter(({ id }) => id !== API_RESOURCE)];
}

/** Our own API with what operators have changed. */
function apiOf(deps: Deps, found: readonly ResourceRow[]): ResourceRow {
  const stored = found.find(({ id }) => id === API_RESOURCE);
  return ourApi(
    deps,
    stored && { ...stored, enabled: stored.enabled ? 1 : 0, settings: JSON.stringify(stored.settings) },
  );
}

/** Throws NOT_FOUND. */
export async function resourceOf(deps: Deps, ownerId: string, id: string): Promise<ResourceRow> {
  const isOurs = id === API_RESOURCE && ownerId === PLATFORM_TENANT;
  const found = isRegisteredId(id) || isOurs ? await store.findResource(deps, id) : undefined;
  if (isOurs) return apiOf(deps, found ? [found] : []);
  return orNotFound(found?.tenantId === ownerId ? found : null, "Resource");
}

/** Throws VALIDATION_FAILED, CONFLICT at the cap and for an identifier that is taken, and RATE_LIMITED. */
export async function registerResource(deps: Deps, registrar: Registrar, given: NewResource): Promise<ResourceRow> {
  const { name, identifier, password: _p, totp: _t, ...settings } = given;
  refuseOurs(deps, identifier);
  refuseForTenants(registrar, settings.forTenants);
  await requireProof(deps, registrar, identifier);
  const [id, now] = [newResourceId(), deps.now()];
  const row: ResourceRow = {
    id,
    tenantId: registrar.ownerId,
    identifier,
    name,
    enabled: true,
    settings,
    secretPrefix: null,
    createdAt: now,
    updatedAt: now,
  };
  const { caps } = deps.config;
  const cap = capOn(registrar.ownerId);
  const spelt = [identifier, ...spellings(identifier)];
  const stored = await store.insertResource(deps, row, { spelt, cap: caps[cap], actor: registrar.caller.actor });
  if (stored === "cap") throw capReached(cap, caps);
  if (stored === "taken") throw identifierTaken();
  return row;
}

const identifierTaken = () => new AppError("CONFLICT", { message: "Another resource has this identifier." });

/**
 * Of our own API, operators change who gets its tokens alone. Throws NOT_FOUND, VALIDATION_FAILED, CONFLICT and
 * RATE_LIMITED.
 */
export async function changeResource(
  deps: Deps,
  registrar: Registrar,
  id: string,
  { password: _p, totp: _t, name, identifier, enabled, ...given }: ResourceChange,
): Promise<ResourceRow> {
  const { ownerId, caller } = registrar;
  const before = await resourceOf(deps, ownerId, id);
  const fixed = Object.entries({ name, identifier, ...given }).filter(
    ([field, value]) => value !== undefined && !["unlisted", "forTenants", "clients"].includes(field),
  );
  const isOurs = id === API_RESOURCE;
  refuseInvalid(isOurs ? fixed.map(([path]) => ({ path, message: "Cannot be changed of our own API" })) : []);
  refuseOurs(deps, identifier);
  refuseForTenants(registrar, given.forTenants);
  // Whoever has lost the API can still switch its tokens off.
  if (enabled !== false) await requireProof(deps, registrar, identifier ?? before.identifier);
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const after = {
    identifier: isOurs ? API_RESOURCE : (identifier ?? before.identifier),
    name: name ?? before.name,
    enabled: enabled ?? before.enabled,
    settings: { ...before.settings, ...changed },
  };
  const isStored = await store.updateResource(deps, before, after, caller.actor, deps.now());
  if (isStored === "taken") throw identifierTaken();
  if (!isStored) throw changedMeanwhile("resource");
  return resourceOf(deps, ownerId, id);
}

/** Throws NOT_FOUND, also for our own API. */
export async function deleteResource(deps: Deps, { ownerId, caller }: Registrar, id: string): Promise<void> {
  const named = { id, tenantId: ownerId };
  if (!isRegisteredId(id) || !(await store.deleteResourceOf(deps, named, caller.actor))) throw notFound("Resource");
}

/** Gives a resource a new secret at once. Throws NOT_FOUND, also for our own API. */
export async function replaceResourceSecret(
  deps: Deps,
  { ownerId, caller }: Registrar,
  id: string,
): Promise<{ row: ResourceRow; secret: string }> {
  const secret = newResourceSecret();
  const named = { id, tenantId: ownerId, hash: await sha256Hex(secret), prefix: shownSecret(secret) };
  const isRotated = isRegisteredId(id) && (await store.rotateResourceSecret(deps, named, caller.actor, deps.now()));
  if (!isRotated) throw notFound("Resource");
  return { row: await resourceOf(deps, ownerId, id), secret };
}
