/** The socket of a listener, which is opened again when it is lost. */
import { setTimeout as wait } from "node:timers/promises";
import { PosternError } from "../client";
import { EXIT, Failure, failureOf } from "./failure";
import type { Answer, Delivery } from "./forward";
import { tell } from "./output";

const SUBPROTOCOL = "postern.listen.v1";
/** How long to wait before each new try, in seconds. The last one stays. */
const WAITS_SECONDS = [0, 1, 2, 5];
/** A socket that does not answer a ping before the next one is lost. */
const PING_MS = 20_000;

/** Codes with which the service closes a socket for good. */
const ENDED: Readonly<Record<number, Failure>> = {
  4001: new Failure(EXIT.failed, "The listener was connected from elsewhere."),
  4003: new Failure(EXIT.notSignedIn, "The key may not listen any more."),
  4004: new Failure(EXIT.failed, "The listener was closed elsewhere."),
};

export interface Connection {
  /** The address of the socket. */
  url: string;
  /** A ticket for each connection. */
  ticket: () => Promise<string>;
  onReady: () => void;
  handle: (delivery: Delivery) => Promise<Answer>;
  signal: AbortSignal;
}

/** Listens until `signal` aborts. Throws Failure when the service ends it. */
export async function keepListening(connection: Connection): Promise<void> {
  const { signal } = connection;
  for (let failures = 0; !signal.aborted; failures += 1) {
    const seconds = WAITS_SECONDS[Math.min(failures, WAITS_SECONDS.length - 1)] ?? 0;
    await wait(seconds * 1_000, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const { code, wasReady } = await listenOnce(connection).catch(unlessUnreachable);
    const ended = ENDED[code];
    if (ended) throw ended;
    if (wasReady) failures = -1;
    if (!signal.aborted) tell("The connection is lost. Deliveries wait until it is back.");
  }
}

/** A service that cannot be reached now is tried again; what it refuses is a failure. */
function unlessUnreachable(error: unknown): Ended {
  if (!(error instanceof PosternError) || failureOf(error).exitCode !== EXIT.unreachable) throw error;
  return { code: 0, wasReady: false };
}

interface Ended {
  code: number;
  wasReady: boolean;
}

/** Resolves when the socket is closed. */
async function listenOnce({ url, ticket, onReady, handle, signal }: Connection): Promise<Ended> {
  const socket = new WebSocket(url, [SUBPROTOCOL, await ticket()]);
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  let wasReady = false;
  let isPinged = false;
  const pinging = setInterval(() => {
    if (isPinged) socket.close();
    else if (socket.readyState === WebSocket.OPEN) socket.send("ping");
    isPinged = true;
  }, PING_MS);
  const end = () => socket.close(1000);
  signal.addEventListener("abort", end);
  socket.addEventListener("message", ({ data }) => {
    isPinged = false;
    if (data === "pong") return;
    const frame = JSON.parse(String(data)) as { t: string } & Delivery;
    if (frame.t === "event") void answer(socket, frame, handle);
    else if (frame.t === "ready") {
      wasReady = true;
      onReady();
    }
  });
  socket.addEventListener("close", ({ code }) => resolve(code));
  const code = await closed;
  clearInterval(pinging);
  signal.removeEventListener("abort", end);
  return { code, wasReady };
}

async function answer(socket: WebSocket, delivery: Delivery, handle: Connection["handle"]): Promise<void> {
  const made = await handle(delivery);
  // Without a socket, the service sends the delivery again.
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ t: "answer", id: delivery.id, ...made }));
}
