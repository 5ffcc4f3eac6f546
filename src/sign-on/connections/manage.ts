/** Making, changing, activating and ending the connections of a tenant. */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, changedMeanwhile, orNotFound } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import { DEFAULT_SETTINGS, GOOGLE_ISSUER } from "../../base/schemas/connection-settings";
import type { Principal } from "../../base/schemas/principal";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { changed } from "./change";
import { deleteConnection as deleteOwned } from "./deletion-store";
import { missingForSignOn, TEST_COUNTS_MS } from "./problems";
import type { ConnectionChange, NewConnection } from "./schemas";
import * as store from "./store";

/** Throws NOT_FOUND. */
export const connectionOf = async (deps: Deps, tenantId: string, id: string): Promise<store.ConnectionRow> =>
  orNotFound(await store.findConnection(deps, tenantId, id), "Connection");

/** The connections that the caller reaches, newest first. */
export async function connectionsOf(deps: Deps, caller: Principal): Promise<store.ConnectionRow[]> {
  const found = await store.listConnections(deps, caller.tenantId);
  return caller.kind === "setup" ? found.filter(({ id }) => id === caller.setup.connectionId) : found;
}

/**
 * Makes a draft, or one that is ready where all is given; a directory alone is active at once. Throws
 * VALIDATION_FAILED, and CONFLICT at the cap.
 */
export async function createConnection(
  deps: Deps,
  changer: store.ConnectionChanger,
  { kind, ...given }: NewConnection,
): Promise<store.ConnectionRow> {
  if (changer.setupLinkId !== null) refuseBeyondSetup(given);
  const [id, now] = [newId(), deps.now()];
  const draft: store.ConnectionRow = {
    id,
    tenantId: changer.tenantId,
    name: given.name,
    kind,
    provider: "other",
    state: "draft",
    needsReview: changer.setupLinkId === null ? 0 : 1,
    version: 1,
    generation: 1,
    settings: DEFAULT_SETTINGS,
    document: null,
    secretSealed: null,
    secretLast4: null,
    testedAt: null,
    testedVersion: null,
    lastSignOnAt: null,
    lastFailureAt: null,
    lacksDomain: 0,
    directoryActive: 0,
    directoryInactive: 0,
    directoryHeld: 0,
    directoryGroups: 0,
    directoryRequestedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  const row = { ...(await changed(deps, draft, given)), createdAt: now, updatedAt: now };
  const { caps } = deps.config;
  if (await store.insertConnection(deps, changer, row, caps.connections)) {
    if (row.needsReview === 1) tellOwners(deps, row.tenantId, { what: "toReview", connection: row.name });
    return asStored(deps, row);
  }
  if (changer.setupLinkId === null) throw capReached("connections", caps);
  throw new AppError("CONFLICT", { message: "This link has a connection, or the tenant can have no more." });
}

/** What is shown of one with Google depends on the tenant's domains, which are read with it. */
const asStored = async (deps: Deps, row: store.ConnectionRow): Promise<store.ConnectionRow> =>
  row.settings.oidc.issuer === GOOGLE_ISSUER ? connectionOf(deps, row.tenantId, row.id) : { ...row, lacksDomain: 0 };

/** Throws NOT_FOUND, VALIDATION_FAILED, and CONFLICT for a connection that was changed meanwhile. */
export async function changeConnection(
  deps: Deps,
  changer: store.ConnectionChanger,
  id: string,
  change: ConnectionChange,
): Promise<store.ConnectionRow> {
  const before = await connectionOf(deps, changer.tenantId, id);
  if (changer.setupLinkId !== null) refuseBeyondSetup(change);
  const made = await changed(deps, before, change);
  if (isSame(before, made)) return before;
  const after = changer.setupLinkId === null ? made : { ...made, needsReview: 1 as const };
  if (!(await store.updateConnection(deps, changer, before, after))) {
    const present = await connectionOf(deps, changer.tenantId, id);
    throw present.version === before.version ? neededToSignOn() : changedMeanwhile("connection");
  }
  if (after.needsReview > before.needsReview) {
    tellOwners(deps, before.tenantId, { what: "toReview", connection: after.name });
  }
  return asStored(deps, { ...after, version: before.version + 1 });
}

/** What is about the provider. Who gets which role, and how long, is for the owners to say. */
const OF_SETUP: ReadonlySet<string> = new Set(["name", "kind", "provider", "oidc", "saml", "attributes"]);

/** Throws FORBIDDEN for what no setup link changes. */
function refuseBeyondSetup(change: object): void {
  const beyond = Object.keys(change).filter((name) => !OF_SETUP.has(name));
  if (beyond.length === 0) return;
  throw new AppError("FORBIDDEN", { message: `A setup link does not change ${beyond.join(", ")}.` });
}

const isSame = (one: store.ConnectionRow, other: store.ConnectionRow): boolean =>
  JSON.stringify({ ...one, updatedAt: 0 }) === JSON.stringify({ ...other, updatedAt: 0 });

/** Throws NOT_FOUND, and CONFLICT naming what is missing. */
export async function activateConnection(deps: Deps, changer: store.ConnectionChanger, id: string): Promise<void> {
  const row = await connectionOf(deps, changer.tenantId, id);
  if (store.isInUse(row)) return store.acceptTokens(deps, changer, id);
  const [missing] = missingForSignOn(row);
  if (missing) throw new AppError("CONFLICT", { message: `${missing.message} first.`, details: [missing] });
  const nowMs = deps.now();
  const times = { testedSince: nowMs - TEST_COUNTS_MS, nowMs };
  if (!(await store.activateConnection(deps, changer, row, times))) throw untested();
}

const untested = () =>
  new AppError("CONFLICT", {
    message: "Test the connection as it is now first: the test must have succeeded within 24 hours.",
  });

/** Throws NOT_FOUND, and CONFLICT for the last one of a tenant that requires sign-on. */
export async function disableConnection(deps: Deps, changer: store.ConnectionChanger, id: string): Promise<void> {
  if (await store.disableConnection(deps, changer, id, deps.now())) return;
  const { state } = await connectionOf(deps, changer.tenantId, id);
  if (state === "active") throw neededToSignOn();
  if (state !== "disabled") throw new AppError("CONFLICT", { message: "The connection is not active." });
}

const neededToSignOn = () =>
  new AppError("CONFLICT", {
    message: "The tenant requires single sign-on, and people sign on through no other connection.",
  });

/** Throws NOT_FOUND, and CONFLICT for the last one of a tenant that requires sign-on. */
export async function deleteConnection(
  deps: Deps,
  changer: store.ConnectionChanger,
  id: string,
  members: "keep" | "remove",
): Promise<void> {
  const named = { id, removesMembers: members === "remove" };
  if (await deleteOwned(deps, changer, named, deps.now())) return;
  await connectionOf(deps, changer.tenantId, id);
  throw neededToSignOn();
}
