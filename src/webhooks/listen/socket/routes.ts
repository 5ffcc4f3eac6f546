/** `/listen/:id/socket`: the WebSocket of a listener. The ticket is the credential. */
import { type Context, Hono } from "hono";
import { AppError, invalid } from "../../../base/errors";
import type { AppEnv } from "../../../base/http/env";
import { pathParam } from "../../../base/http/operation";
import { describeRoute } from "../../../base/http/route-docs";
import { SUBPROTOCOL } from "../../delivery/frames";
import { readTicket, TICKET_HEADER, type Ticket } from "../ticket";

const invalidTicket = () => new AppError("UNAUTHENTICATED", { message: "Invalid ticket." });

/** Throws UNAUTHENTICATED for a ticket that was not made here or is over. */
async function ticketOf(c: Context<AppEnv>): Promise<Ticket> {
  const offered = (c.req.header("sec-websocket-protocol") ?? "").split(",").map((protocol) => protocol.trim());
  const [protocol, text, ...more] = offered;
  const isAsked = protocol === SUBPROTOCOL && text !== undefined && more.length === 0;
  const ticket = isAsked ? await readTicket(c.get("deps"), pathParam(c, "id"), text) : null;
  if (!ticket) throw invalidTicket();
  return ticket;
}

export const listenSocketRoutes = new Hono<AppEnv>().get(
  "/:id/socket",
  describeRoute("openListenSocket", "Opens the WebSocket of a listener.", () => ({
    101: {},
    errors: ["VALIDATION_FAILED", "UNAUTHENTICATED", "SERVICE_UNAVAILABLE"],
    description:
      "`Sec-WebSocket-Protocol` is `postern.listen.v1` and a ticket, of which the first is selected. A newer socket " +
      "closes the older one.",
  })),
  async (c) => {
    const ticket = await ticketOf(c);
    if (c.req.header("upgrade")?.toLowerCase() !== "websocket") {
      throw invalid({ issues: [{ path: ["Upgrade"], message: "Must be websocket" }] });
    }
    c.set("logFields", { tenantId: ticket.tenantId, webhookId: ticket.listenerId });
    const { status, webSocket } = await c
      .get("deps")
      .listenSockets.getByName(ticket.listenerId)
      .fetch(c.req.url, {
        headers: { Upgrade: "websocket", [TICKET_HEADER]: JSON.stringify(ticket) },
      });
    if (!webSocket) throw status === 401 ? invalidTicket() : new AppError("SERVICE_UNAVAILABLE");
    return new Response(null, { status: 101, webSocket, headers: { "Sec-WebSocket-Protocol": SUBPROTOCOL } });
  },
);
