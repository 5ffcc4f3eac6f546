/** `/listen`: subscriptions whose deliveries go to a program over a WebSocket. */
import type { Call, CallOptions } from "./call";
import type { Listener, ListenTicket, NewListener, OpenedListener } from "./generated";
import { type Listed, listed } from "./pages";
import { segment } from "./path";

/**
 * `client.listen`. `postern listen` is made of it; the documentation has what goes over the socket.
 *
 * @example
 * const { secret, ticket } = await client.listen.open({ events: ["OrderPaid"] });
 */
export interface ListenMethods {
  /** Opens a listener, and returns it with its secret and a ticket. Throws FORBIDDEN, CONFLICT for too many. */
  open(body: NewListener, options?: CallOptions): Promise<OpenedListener>;
  /** Returns the caller's own listeners, newest first. Throws FORBIDDEN. */
  list(options?: CallOptions): Listed<Listener>;
  /** Returns a new ticket, which opens the socket once. Throws FORBIDDEN, NOT_FOUND. */
  ticket(id: string, options?: CallOptions): Promise<ListenTicket>;
  /** Closes a listener, and returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND. */
  close(id: string, options?: CallOptions): Promise<string>;
}

export function listenMethods(call: Call): ListenMethods {
  const at = (id: string, rest = "") => `/listen/${segment(id)}${rest}`;
  return {
    open: (body, options) => call.data("POST /listen", { ...options, body }),
    list: (options) => listed(call.data("GET /listen", options)),
    ticket: (id, options) => call.data(`POST ${at(id, "/ticket")}`, options),
    close: (id, options) => call.message(`DELETE ${at(id)}`, options),
  };
}
