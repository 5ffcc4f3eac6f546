/**
 * One object per tenant. Each poll that waits, or that is of a consumer, has a socket here: the runtime keeps it while
 * the object sleeps, so it costs neither a row nor the time that it is open.
 */
import { DurableObject } from "cloudflare:workers";
import { CONSUMER_HEADER } from "./open-poll";

/** A poll whose end is never heard of ends so late. Longer than any poll takes. */
const LONGEST_POLL_MS = 30_000;

/** Its methods are callable over RPC. Everything else is `#private`: TypeScript's `private` would be callable too. */
export class FeedPolls extends DurableObject {
  /** Opens the socket of a poll. Answers 409 with `Retry-After` while another poll of its consumer is open. */
  override fetch(request: Request): Response {
    const consumer = request.headers.get(CONSUMER_HEADER);
    const nowMs = Date.now();
    const leftMs = consumer === null ? 0 : this.#leftMs(consumer, nowMs);
    if (leftMs > 0) {
      return new Response(null, { status: 409, headers: { "Retry-After": `${Math.ceil(leftMs / 1_000)}` } });
    }
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, consumer === null ? [] : [consumer]);
    server.serializeAttachment(nowMs + LONGEST_POLL_MS);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Tells every open poll that there are new events. */
  wake(): void {
    for (const socket of this.ctx.getWebSockets()) if (isOpen(socket)) socket.send("");
  }

  /** For how long another poll of this consumer may still be open. */
  #leftMs(consumer: string, nowMs: number): number {
    const ends = this.ctx.getWebSockets(consumer).filter(isOpen).map(endMs);
    return Math.max(0, ...ends) - nowMs;
  }
}

const isOpen = ({ readyState }: WebSocket): boolean => readyState === WebSocket.READY_STATE_OPEN;

const endMs = (socket: WebSocket): number => socket.deserializeAttachment() as number;
