/** `/listen`: subscriptions whose deliveries go to a program over a WebSocket. */
import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { listeners } from "./operations";
import { listener, listenTicket, openedListener } from "./schemas";
import { listenerView, openedView, ticketView } from "./view";

const MISSING = { errors: ["NOT_FOUND"] } as const;

export const listenRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute("openListener", "Opens a listener: a subscription whose deliveries go over a WebSocket.", () => ({
      201: { body: dataOf(openedListener), id: "/data/_id" },
      errors: ["CONFLICT"],
      description:
        "It holds its deliveries until a socket is open, and ends 24 hours after the last one. It is not in the list " +
        "of subscriptions. Also needs the permission `webhook.read`.",
    })),
    ...serve(listeners.open, (c, opened) => c.json({ data: openedView(opened) }, 201)),
  )
  .get(
    "/",
    describeRoute("listListeners", "Lists the caller's own listeners, newest first.", () => ({
      200: dataOf(z.array(listener)),
    })),
    ...serve(listeners.list, (c, rows) => c.json({ data: rows.map(listenerView) })),
  )
  .post(
    "/:id/ticket",
    describeRoute("makeListenTicket", "Returns a new ticket for a listener.", () => ({
      200: dataOf(listenTicket),
      ...MISSING,
    })),
    ...serve(listeners.ticket, (c, ticket) => c.json({ data: ticketView(ticket) })),
  )
  .delete(
    "/:id",
    describeRoute("closeListener", "Closes a listener. What it holds is not sent.", () => MISSING),
    ...serve(listeners.close, saying("Listener closed")),
  );
