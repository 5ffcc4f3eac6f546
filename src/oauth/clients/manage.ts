/** Registering, changing and ending clients. A secret is returned once and stored as a hash. */
import { sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { AppError, changedMeanwhile, invalidField, notFound, orNotFound, refuseInvalid } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import type { Principal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { iso } from "../../base/time";
import { readTenantIds } from "../../tenancy/tenants/store";
import { refuseTarget } from "../../webhooks/delivery/target";
import { isClientId, newClientId, newClientSecret, shownSecret } from "./keys";
import { newLogoutWebhook } from "./logout-webhook";
import { type ClientChange, type ClientView, type NewClient, problemsOf } from "./schemas";
import type { ClientRow } from "./store";
import * as store from "./store";

export function clientView(row: ClientRow, nowMs: number): ClientView {
  const { id, externalId, name, type, auth, enabled, secretPrefix, previousExpiresAt, settings } = row;
  return {
    id,
    owner: "platform",
    kind: "registered",
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
function refuseKey(caller: Principal, ...consents: readonly (string | undefined)[]): void {
  if (caller.kind === "session" || !consents.includes("skip")) return;
  throw new AppError("FORBIDDEN", { message: "Only operators manage apps that ask nobody (consent: skip)." });
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
export async function registerClient(deps: Deps, caller: Principal, given: NewClient): Promise<Issued> {
  const { name, externalId, type, auth, password: _p, totp: _t, ...settings } = given;
  refuseKey(caller, settings.consent);
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
    tenantId: PLATFORM_TENANT,
    kind: "registered",
    host: null,
    documentHash: null,
  };
  const webhook = await newLogoutWebhook(deps, row, row.settings.backchannelLogoutUrl);
  const hashed = { secretHash: secret && (await sha256Hex(secret)), webhook };
  const stored = await store.insertClient(deps, row, hashed, caller.actor);
  if (stored === "stored") return { row, secret, isNew: true };
  if (stored === "cap") throw capReached("clients", deps.config.caps);
  const asked = (one: ClientRow) => JSON.stringify([one.name, one.type, one.auth, sorted(one.settings)]);
  if (asked(stored) === asked(row)) return { row: stored, secret: null, isNew: false };
  throw new AppError("CONFLICT", { message: "Another client has this externalId." });
}

const sorted = (settings: object) => Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1));

/** Throws NOT_FOUND. */
export async function clientOf(deps: Deps, id: string): Promise<ClientRow> {
  const found = isClientId(id) ? await store.findClient(deps, id) : null;
  return orNotFound(found?.tenantId === PLATFORM_TENANT ? found : null, "Client");
}

/** Clients, newest first, and where the next page begins. */
export async function clientsOf(
  deps: Deps,
  { limit, cursor, externalId }: { limit: number; cursor?: string | undefined; externalId?: string | undefined },
): Promise<{ rows: ClientRow[]; nextCursor: string | null }> {
  const [createdAt = "", id = ""] = cursor?.split(/_(.*)/) ?? [];
  const after = cursor === undefined ? null : { createdAt: Number(createdAt), id };
  const found = await store.listClients(deps, { limit: limit + 1, after, externalId });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextCursor: last && found.length > limit ? `${last.createdAt}_${last.id}` : null };
}

/** Throws NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, and CONFLICT if the client has changed meanwhile. */
export async function changeClient(
  deps: Deps,
  caller: Principal,
  id: string,
  { password: _p, totp: _t, name, enabled, tenants, ...given }: ClientChange,
): Promise<ClientRow> {
  const before = await clientOf(deps, id);
  refuseKey(caller, before.settings.consent, given.consent);
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
  if (!(await store.updateClient(deps, before, after, caller.actor, deps.now()))) throw changedMeanwhile("client");
  return clientOf(deps, id);
}

const refuseKeyFor = async (deps: Deps, caller: Principal, id: string): Promise<void> =>
  refuseKey(caller, (await clientOf(deps, id)).settings.consent);

/** Deletes a client. Throws NOT_FOUND, FORBIDDEN. */
export async function deleteClient(deps: Deps, caller: Principal, id: string): Promise<void> {
  const client = await clientOf(deps, id);
  refuseKey(caller, client.settings.consent);
  if (!(await store.deleteClientOf(deps, client, caller.actor, deps.now()))) throw notFound("Client");
}

/** Ends all sign-ins to a client. Throws NOT_FOUND, FORBIDDEN. */
export async function revokeClient(deps: Deps, caller: Principal, id: string): Promise<void> {
  await refuseKeyFor(deps, caller, id);
  if (!(await store.revokeClientOf(deps, id, caller.actor, deps.now()))) throw notFound("Client");
}

/** Replaces the secret. Throws NOT_FOUND, FORBIDDEN, and CONFLICT while a former one works or without a secret. */
export async function replaceSecret(
  deps: Deps,
  caller: Principal,
  id: string,
  overlapSeconds: number,
): Promise<Issued> {
  await refuseKeyFor(deps, caller, id);
  const secret = newClientSecret();
  const nowMs = deps.now();
  const previousExpiresAt = nowMs + overlapSeconds * 1000;
  const replacement = { id, hash: await sha256Hex(secret), prefix: shownSecret(secret), previousExpiresAt };
  const { row, isRotated } = await store.rotateSecret(deps, replacement, caller.actor, nowMs);
  if (!row) throw notFound("Client");
  if (isRotated) return { row, secret, isNew: false };
  const message = row.auth !== "secret" ? "This app has no secret." : "The former secret still works. End it first.";
  throw new AppError("CONFLICT", { message });
}

/** Ends the former secret at once, if one still works. Throws NOT_FOUND, FORBIDDEN. */
export async function endSecret(deps: Deps, caller: Principal, id: string): Promise<void> {
  await refuseKeyFor(deps, caller, id);
  if (!(await store.endFormerSecret(deps, id, caller.actor, deps.now()))) throw notFound("Client");
}
