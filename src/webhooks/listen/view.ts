/** Listeners, as the API returns them. */
import { iso } from "../../base/time";
import type { Opened } from "./changes";
import type { Listener, ListenTicket, OpenedListener } from "./schemas";
import type { ListenerRow } from "./store";

const shared = ({ id, name, events, createdAt }: ListenerRow) => ({ _id: id, name, events, createdAt: iso(createdAt) });

export const listenerView = (row: ListenerRow): Listener => ({ ...shared(row), connected: row.isConnected });

export const ticketView = ({ text, expiresAt }: Opened["ticket"]): ListenTicket => ({
  ticket: text,
  ticketExpiresAt: iso(expiresAt),
});

export const openedView = ({ row, secret, ticket }: Opened): OpenedListener => ({
  ...shared(row),
  secret,
  ...ticketView(ticket),
});
