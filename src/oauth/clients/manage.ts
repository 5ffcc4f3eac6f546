/** Registering, changing and ending clients. A secret is returned once and stored as a hash. */
import { sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { AppError, changedMeanwhile, invalidField, notFound, orNotFound, refuseInvalid } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { iso } from "../../base/time";
import { readTenantIds } from "../../tenancy/tenants/store";
import { refuseTarget } from "../../webhooks/delivery/target";
import type { Registrar } from "../registrar";
import { isClientId, newClientId, newClientSecret, shownSecret } from "./keys";
import { newLogoutWebhook } from "./logout-webhook";
import { type ClientChange, type ClientView, type NewClient, problemsOf } from "./schemas";
import type { ClientRow } from "./store";
import * as store from "./store";
import { changeCopy, listClient } from "./unlisted/list";

export function clientView(row: ClientRow, nowMs: number): ClientView {
  const { id, externalId, name, type, auth, enabled, secretPrefix, previousExpiresAt, settings } = row;
  return {
    id,
    owner: row.tenantId === PLATFORM_TENANT ? "platform" : "tenant",
    kind: row.kind === "registered" ? "registered" : "metadata",
    externalId,
    name,
    type,
    auth,
    enabled,
    ...settings,
    redirectUrls: [...settings.redirectUrls],
    postLogoutUrls: [...settings.postLogoutUrls],
    grants: [...settings.grants],
    scopes: [...settings.scopes],
    resources: settings.resources.map(({ identifier, scopes }) => ({ identifier, scopes: [...scopes] })),
    tenants: settings.tenants && [...settings.tenants],
    ...(secretPrefix === null ? {} : { secretPrefix }),
    ...(previousExpiresAt === null || previousExpiresAt <= nowMs ? {} : { previousExpiresAt: iso(previousExpiresAt) }),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    lastUsedAt: iso(row.lastUsedAt),
  };
}

/**
 * Whoever moves a redirect URL of a client that asks nobody opens everybody's account. A leaked key must not.
 * Throws FORBIDDEN.
 */
function refuseKey({ caller }: Registrar, ...consents: readonly (string | undefined)[]): void {
  if (caller.kind === "session" || !consents.includes("skip")) return;
  throw new AppError("FORBIDDEN", { message: "Only operators manage apps that ask nobody (consent: skip)." });
}

/** What the clients of the platform alone may be. A tenant's asks everybody, and is for that tenant's members. */
const PLATFORMS_OWN = { consent: "ask", tenants: null, unverifiedEmail: false } as const;

/** Throws VALIDATION_FAILED for a tenant's client that would be what only the platform's may be. */
function refuseOwn({ ownerId }: Registrar, given: Partial<Record<keyof typeof PLATFORMS_OWN, unknown>>): void {
  if (ownerId === PLATFORM_TENANT) return;
  const refused = Object.entries(PLATFORMS_OWN).filter(
    ([name, only]) => ![undefined, only].includes(given[name as keyof typeof PLATFORMS_OWN] as undefined),
  );
  refuseInvalid(refused.map(([path]) => ({ path, message: "For apps of the platform alone" })));
}

/** Throws VALIDATION_FAILED for a URL from which keys may not be fetched. */
function refuseTargetOf({ config, ownHosts }: Deps, jwksUrl: string | null): void {
  const refusal = jwksUrl === null ? null : refuseTarget(jwksUrl, config.webhookEgress, ownHosts);
  if (refusal) throw invalidField("jwksUrl", refusal);
}

export interface Issued {
  row: ClientRow;
  secret: string | null;
  isNew: boolean;
}

/** Registers a client. Throws FORBIDDEN, NOT_FOUND for an unknown tenant, and CONFLICT at the cap. */
export async function registerClient(deps: Deps, registrar: Registrar, given: NewClient): Promise<Issued> {
  const { name = "", externalId, type, auth, password: _p, totp: _t, clientId, document: _d, ...settings } = given;
  if (clientId !== undefined) return { ...(await listClient(deps, registrar, clientId, given)), secret: null };
  refuseOwn(registrar, settings);
  refuseKey(registrar, settings.consent);
  refuseTargetOf(deps, settings.jwksUrl);
  const secret = auth === "secret" ? newClientSecret() : null;
  const row: ClientRow = {
    id: newClientId(),
    externalId: externalId ?? null,
    name,
    type,
    auth,
    enabled: true,
    secretPrefix: secret && shownSecret(secret),
    previousExpiresAt: null,
    settings: { ...settings, tenants: settings.tenants && (await readTenantIds(deps, settings.tenants)) },
    createdAt: deps.now(),
    updatedAt: deps.now(),
    lastUsedAt: null,
    logoutWebhookId: null,
    tenantId: registrar.ownerId,
    kind: "registered",
    host: null,
    documentHash: null,
  };
  const webhook = await newLogoutWebhook(deps, row, row.settings.backchannelLogoutUrl);
  const hashed = { secretHash: secret && (await sha256Hex(secret)), webhook };
  const stored = await store.insertClient(deps, row, hashed, registrar.caller.actor);
  if (stored === "stored") return { row, secret, isNew: true };
  if (stored === "cap") throw capReached(store.capOn(row.tenantId), deps.config.caps);
  const asked = (one: ClientRow) => JSON.stringify([one.name, one.type, one.auth, sorted(one.settings)]);
  if (asked(stored) === asked(row)) return { row: stored, secret: null, isNew: false };
  throw new AppError("CONFLICT", { message: "Another client has this externalId." });
}

const sorted = (settings: object) => Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1));

/** Whether it may be the URL of a listed client. */
const isListable = (id: string): boolean => id.startsWith("https://") && id.length <= MAX_URL_CHARACTERS;
const MAX_URL_CHARACTERS = 256;

/** Throws NOT_FOUND. */
export async function clientOf(deps: Deps, ownerId: string, id: string): Promise<ClientRow> {
  const found = isClientId(id) || isListable(id) ? await store.findClient(deps, id) : null;
  const isOwn = found?.tenantId === ownerId && ["registered", "listed"].includes(found.kind);
  return orNotFound(isOwn ? found : null, "Client");
}

/** The clients of an owner, newest first, and where the next page begins. */
export async function clientsOf(
  deps: Deps,
  ownerId: string,
  { limit, cursor, externalId }: { limit: number; cursor?: string | undefined; externalId?: string | undefined },
): Promise<{ rows: ClientRow[]; nextCursor: string | null }> {
  const [createdAt = "", id = ""] = cursor?.split(/_(.*)/) ?? [];
  const after = cursor === undefined ? null : { createdAt: Number(createdAt), id };
  const found = await store.listClients(deps, ownerId, { limit: limit + 1, after, externalId });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: last && found.length > limit ? `${last.createdAt}_${last.id}` : null };
}

/** Throws NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, and CONFLICT if the client has changed meanwhile. */
export async function changeClient(
  deps: Deps,
  registrar: Registrar,
  id: string,
  { password: _p, totp: _t, name, enabled, tenants, document, ...given }: ClientChange,
): Promise<ClientRow> {
  const before = await clientOf(deps, registrar.ownerId, id);
  refuseOwn(registrar, { ...given, tenants });
  refuseKey(registrar, before.settings.consent, given.consent);
  if (before.kind === "listed") {
    const others = Object.entries({ name, enabled, tenants, ...given }).filter(([, value]) => value !== undefined);
    refuseInvalid(others.map(([path]) => ({ path, message: "The document says it" })));
    if (document) await changeCopy(deps, registrar, before, document);
    return clientOf(deps, registrar.ownerId, id);
  }
  if (document) throw invalidField("document", "Only for an app that is listed");
  const changed = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const settings = {
    ...before.settings,
    ...changed,
    ...(tenants === undefined ? {} : { tenants: tenants && (await readTenantIds(deps, tenants)) }),
  };
  const { type, auth } = before;
  refuseTargetOf(deps, settings.jwksUrl);
  refuseInvalid(
    problemsOf({
      ...settings,
      type,
      auth,
      scopes: [...settings.scopes],
      grants: [...settings.grants],
      redirectUrls: [...settings.redirectUrls],
      postLogoutUrls: [...settings.postLogoutUrls],
      resources: settings.resources.map(({ identifier, scopes }) => ({ identifier, scopes: [...scopes] })),
      tenants: null,
    }),
  );
  const webhook = await newLogoutWebhook(deps, { ...before, name: name ?? before.name }, settings.backchannelLogoutUrl);
  const after = { name: name ?? before.name, enabled: enabled ?? before.enabled, settings, webhook };
  const { caller, ownerId } = registrar;
  if (!(await store.updateClient(deps, before, after, caller.actor, deps.now()))) throw changedMeanwhile("client");
  return clientOf(deps, ownerId, id);
}

/** The client, if the registrar may end or replace something of it. Throws NOT_FOUND, FORBIDDEN. */
async function clientFor(deps: Deps, registrar: Registrar, id: string): Promise<ClientRow> {
  const client = await clientOf(deps, registrar.ownerId, id);
  refuseKey(registrar, client.settings.consent);
  return client;
}

/** Deletes a client. Throws NOT_FOUND, FORBIDDEN. */
export async function deleteClient(deps: Deps, registrar: Registrar, id: string): Promise<void> {
  const client = await clientFor(deps, registrar, id);
  if (!(await store.deleteClientOf(deps, client, registrar.caller.actor, deps.now()))) throw notFound("Client");
}

/** Ends all sign-ins to a client. Throws NOT_FOUND, FORBIDDEN. */
export async function revokeClient(deps: Deps, registrar: Registrar, id: string): Promise<void> {
  const client = await clientFor(deps, registrar, id);
  if (!(await store.revokeClientOf(deps, client, registrar.caller.actor, deps.now()))) throw notFound("Client");
}

/** Replaces the secret. Throws NOT_FOUND, FORBIDDEN, and CONFLICT while a former one works or without a secret. */
export async function replaceSecret(
  deps: Deps,
  registrar: Registrar,
  id: string,
  overlapSeconds: number,
): Promise<Issued> {
  const client = await clientFor(deps, registrar, id);
  const secret = newClientSecret();
  const nowMs = deps.now();
  const previousExpiresAt = nowMs + overlapSeconds * 1000;
  const replacement = { hash: await sha256Hex(secret), prefix: shownSecret(secret), previousExpiresAt };
  const { row, isRotated } = await store.rotateSecret(deps, client, replacement, registrar.caller.actor, nowMs);
  if (!row) throw notFound("Client");
  if (isRotated) return { row, secret, isNew: false };
  const message = row.auth !== "secret" ? "This app has no secret." : "The former secret still works. End it first.";
  throw new AppError("CONFLICT", { message });
}

/** Ends the former secret at once, if one still works. Throws NOT_FOUND, FORBIDDEN. */
export async function endSecret(deps: Deps, registrar: Registrar, id: string): Promise<void> {
  const client = await clientFor(deps, registrar, id);
  if (!(await store.endFormerSecret(deps, client, registrar.caller.actor, deps.now()))) throw notFound("Client");
}
