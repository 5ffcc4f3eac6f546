/** Tickets, each of which opens the socket of a listener once. They are sealed, so a forged one reaches no object. */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { Principal } from "../../base/schemas/principal";
import { decryptState, encryptState } from "../../base/short-lived";
import { receivesAudit, refuseNewReader } from "../subscriptions/audit-readers";

const LIVES_MS = 30_000;

/** The header with which a ticket that was read goes to the object of its listener. */
export const TICKET_HEADER = "x-postern-ticket";

/** The credential with which a socket was opened. The socket ends with it. */
export interface Holder {
  kind: Principal["kind"];
  /** Of the session, the key, or the portal's link or token. */
  id: string;
  /** Whether the listener receives the audit log, which takes a permission more. */
  readsAudit?: boolean;
}

export interface Ticket {
  /** Time-ordered. */
  id: string;
  listenerId: string;
  tenantId: string;
  holder: Holder;
  /** Unix ms. */
  expiresAt: number;
}

const purposeOf = (listenerId: string) => `listen:${listenerId}`;

/**
 * Makes a ticket for whoever asks. `expiresAt` is in Unix ms. Throws FORBIDDEN for the audit log without audit.read.
 */
export async function makeTicket(
  deps: Deps,
  principal: Principal,
  { id: listenerId, events }: { id: string; events: readonly string[] },
): Promise<{ text: string; expiresAt: number }> {
  refuseNewReader(principal, events);
  const id = principal.kind === "session" ? principal.sessionId : (principal.actor.id ?? "");
  const expiresAt = deps.now() + LIVES_MS;
  const holder = { kind: principal.kind, id, readsAudit: receivesAudit(events) };
  const ticket: Ticket = { id: newId(), listenerId, tenantId: principal.tenantId, holder, expiresAt };
  return { text: toToken(await encryptState(deps, purposeOf(listenerId), ticket)), expiresAt };
}

/** Reads a ticket for this listener; null for one that was not made here or is over. */
export async function readTicket(deps: Deps, listenerId: string, text: string): Promise<Ticket | null> {
  const ticket = await decryptState<Ticket>(deps, purposeOf(listenerId), fromToken(text));
  return ticket && ticket.expiresAt > deps.now() ? ticket : null;
}

/** `Sec-WebSocket-Protocol` takes none of the characters of base64 that base64url replaces. */
const toToken = (sealed: string): string => sealed.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const fromToken = (token: string): string => token.replaceAll("-", "+").replaceAll("_", "/");
