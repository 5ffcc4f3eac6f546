/** `/listen`: subscriptions whose deliveries go to a program over a WebSocket. */

import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { operation } from "../../base/operation";
import { dataOf } from "../../base/schemas/schemas";
import { LISTEN } from "../access";
import { closeListener, endListener, openListener, ownListeners, ticketFor } from "./changes";
import { listener, listenTicket, newListener, openedListener } from "./schemas";
import { listenerView, openedView, ticketView } from "./view";

const MISSING = { errors: ["NOT_FOUND"] } as const;

export const listeners = {
  open: endpoint({
    id: "openListener",
    summary: "Opens a listener: a subscription whose deliveries go over a WebSocket.",
    description:
      "It holds its deliveries until a socket is open, and ends 24 hours after the last one. It is not in the list " +
      "of subscriptions. Also needs the permission `webhook.read`.",
    ...LISTEN,
    schema: newListener,
    errors: ["CONFLICT"],
    answers: () => ({ 201: { body: dataOf(openedListener), id: "/data/_id" } }),
    verb: ({ deps, principal, input }) => openListener(deps, principal, input),
    answer: (c, opened) => c.json({ data: openedView(opened) }, 201),
  }),
  list: endpoint({
    id: "listListeners",
    summary: "Lists the caller's own listeners, newest first.",
    ...LISTEN,
    answers: () => ({ 200: dataOf(z.array(listener)) }),
    verb: ({ deps, principal }) => ownListeners(deps, principal),
    answer: (c, rows) => c.json({ data: rows.map(listenerView) }),
  }),
  ticket: endpoint({
    id: "makeListenTicket",
    summary: "Returns a new ticket for a listener.",
    ...LISTEN,
    ...MISSING,
    answers: () => ({ 200: dataOf(listenTicket) }),
    verb: ({ deps, principal, param }) => ticketFor(deps, principal, param("id")),
    answer: (c, ticket) => c.json({ data: ticketView(ticket) }),
  }),
  close: endpoint({
    id: "closeListener",
    summary: "Closes a listener. What it holds is not sent.",
    ...LISTEN,
    ...MISSING,
    verb: ({ deps, principal, param }) => closeListener(deps, principal, param("id")),
    answer: saying("Listener closed"),
  }),
  /** As `close`, also for those of others: the console offers it to who manages the members. */
  end: operation({ ...LISTEN, verb: ({ deps, principal, param }) => endListener(deps, principal, param("id")) }),
};

export const listenRoutes = routes({
  "POST /": listeners.open,
  "GET /": listeners.list,
  "POST /:id/ticket": listeners.ticket,
  "DELETE /:id": listeners.close,
});
