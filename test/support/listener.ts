/** A program at the other end of a listener's socket. */
import { exports } from "cloudflare:workers";
import { call } from "./client";

export interface EventFrame {
  t: "event";
  /** Of the attempt. */
  id: string;
  headers: Record<string, string>;
  /** Base64. */
  body: string;
}

type Frame = EventFrame | { t: "ready"; id: string };

interface OpenedListener {
  _id: string;
  secret: string;
  ticket: string;
  createdAt: string;
}

export async function openListener(token: string, body: object = { events: ["*"] }): Promise<OpenedListener> {
  const { status, body: answer } = await call("POST", "/listen", { token, body });
  if (status !== 201) throw new Error(`POST /listen answered ${status} ${JSON.stringify(answer)}`);
  return answer.data;
}

export const newTicket = async (token: string, id: string): Promise<string> =>
  (await call("POST", `/listen/${id}/ticket`, { token, body: {} })).body.data.ticket;

/** Asks for a socket; the answer has one if its status is 101. */
export const askForSocket = (id: string, protocols: string, headers: HeadersInit = { upgrade: "websocket" }) =>
  exports.default.fetch(`http://postern.test/api/v1/listen/${id}/socket`, {
    headers: { ...headers, "sec-websocket-protocol": protocols },
  });

/** An open socket, with what has come over it. `answer` replies to each event; null says nothing. */
export async function connect(
  id: string,
  ticket: string,
  answer: (event: EventFrame) => object | null = () => ({ status: 200 }),
) {
  const { status, webSocket } = await askForSocket(id, `postern.listen.v1, ${ticket}`);
  if (!webSocket) throw new Error(`the socket was refused with ${status}`);
  const events: EventFrame[] = [];
  const { promise: ready, resolve: onReady } = Promise.withResolvers<void>();
  const { promise: closed, resolve: onClose } = Promise.withResolvers<number>();
  const texts: string[] = [];
  webSocket.addEventListener("message", ({ data }) => {
    texts.push(String(data));
    if (data === "pong") return;
    const frame = JSON.parse(String(data)) as Frame;
    if (frame.t === "ready") return onReady();
    events.push(frame);
    const reply = answer(frame);
    if (reply) webSocket.send(JSON.stringify({ t: "answer", id: frame.id, ...reply }));
  });
  webSocket.addEventListener("close", ({ code }) => onClose(code));
  webSocket.accept();
  return { socket: webSocket, events, texts, ready, closed };
}

/** The payload of an event's frame. */
export const payloadOf = ({ body }: EventFrame) => JSON.parse(atob(body));
