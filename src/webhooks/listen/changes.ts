/** Opening and closing listeners. */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import type { Principal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { newSecret } from "../signing/secret";
import { refuseNewReader } from "../subscriptions/audit-readers";
import { encryptSecret, keptTooMany, mostSubscriptions } from "../subscriptions/changes";
import type { NewListener } from "./schemas";
import { deleteListener, insertListener, type ListenerRow, listListeners } from "./store";
import { makeTicket } from "./ticket";

/** The most listeners that a user, a portal, or a program without a user has in a tenant. */
const MAX_LISTENERS = 5;

/** A new listener, with what is shown once. */
export interface Opened {
  row: ListenerRow;
  secret: string;
  ticket: Awaited<ReturnType<typeof makeTicket>>;
}

/** Whom a listener belongs to: a user, or a key or portal that belongs to none. */
const ownerOf = ({ userId, actor }: Principal): string => userId || (actor.id ?? "");

/** Opens a listener. Throws FORBIDDEN for the audit log without audit.read, and CONFLICT for too many. */
export async function openListener(deps: Deps, principal: Principal, { name, events }: NewListener): Promise<Opened> {
  if (principal.tenantId === PLATFORM_TENANT) {
    throw new AppError("CONFLICT", { message: "The platform has no listeners." });
  }
  refuseNewReader(principal, events);
  const nowMs = deps.now();
  const [id, secret] = [newId(), newSecret()];
  const row = { id, ownerId: ownerOf(principal), name, events, ...(await encryptSecret(deps, id, secret)) };
  const room = { most: MAX_LISTENERS, mostSubscriptions: mostSubscriptions(deps, principal) };
  if (!(await insertListener(deps, principal, row, room, nowMs))) {
    const tooMany = new AppError("CONFLICT", {
      message: `A user or portal can have at most ${MAX_LISTENERS} listeners.`,
    });
    throw (await keptTooMany(deps, principal)) ?? tooMany;
  }
  const ticket = await makeTicket(deps, principal, { id, events });
  const { ownerId } = row;
  return { row: { id, ownerId, name, events, isConnected: false, createdAt: nowMs, changedAt: nowMs }, secret, ticket };
}

/** The caller's listeners, newest first. */
export const ownListeners = (deps: Deps, principal: Principal): Promise<ListenerRow[]> =>
  listListeners(deps, principal, ownerOf(principal));

/** A new ticket for a listener of the caller. Throws NOT_FOUND, and FORBIDDEN for the audit log without audit.read. */
export async function ticketFor(deps: Deps, principal: Principal, id: string): Promise<Opened["ticket"]> {
  const listener = (await ownListeners(deps, principal)).find((own) => own.id === id);
  if (!listener) throw notFound("Listener");
  return makeTicket(deps, principal, listener);
}

/** Deletes a listener of the caller, and closes its socket. Throws NOT_FOUND. */
export const closeListener = (deps: Deps, principal: Principal, id: string): Promise<void> =>
  closeOf(deps, principal, { id, ownerId: ownerOf(principal) });

async function closeOf(deps: Deps, principal: Principal, listener: { id: string; ownerId: string | null }) {
  if (!(await deleteListener(deps, principal, listener, deps.now()))) throw notFound("Listener");
  deps.background("close a socket", deps.listenSockets.getByName(listener.id).end());
}

/** Whether the console shows the caller the listeners of the whole tenant. */
export const seesAllListeners = ({ permissions }: Principal): boolean => permissions.has("member.manage");

const seenBy = (principal: Principal): string | null => (seesAllListeners(principal) ? null : ownerOf(principal));

/** The listeners that the console shows, newest first. */
export const seenListeners = (deps: Deps, principal: Principal): Promise<ListenerRow[]> =>
  listListeners(deps, principal, seenBy(principal));

/** Deletes a listener that the console shows, and closes its socket. Throws NOT_FOUND. */
export const endListener = (deps: Deps, principal: Principal, id: string): Promise<void> =>
  closeOf(deps, principal, { id, ownerId: seenBy(principal) });
