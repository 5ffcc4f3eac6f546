/** What else is connected: a source that another system calls, a feed that a program pulls, and a listener. */
import type { Service } from "./service.ts";

/** The secret that the other system and the source share. */
export const SOURCE_SECRET = "a secret of the demo";
/** The listener, in the list of attempts. */
export const LISTENER = "listener";

/** What the commands of the tour need. */
export interface Connections {
  sourceUrl: string;
  feedId: string;
  feedToken: string;
  listenerId: string;
}

/** Makes all three in the tenant of `token`. The listener gets what the source receives, until `signal` aborts. */
export async function addConnections(service: Service, token: string, signal: AbortSignal): Promise<Connections> {
  const ask = <T>(path: string, body: object) => service.call<T>("POST", path, body, token);
  const source = { name: "Repository", provider: "github", secrets: [SOURCE_SECRET] };
  const { url: sourceUrl } = await ask<{ url: string }>("/sources", source);
  const feed = { name: "Ledger", events: ["OrderPaid", "github.*"] };
  const { id: feedId, token: feedToken } = await ask<{ id: string; token: string }>("/feeds", feed);
  const opened = await ask<{ _id: string; ticket: string }>("/listen", { name: "Laptop", events: ["github.*"] });
  answerAll(`${service.url.replace("http", "ws")}/api/v1/listen/${opened._id}/socket`, opened.ticket, signal);
  return { sourceUrl, feedId, feedToken, listenerId: opened._id };
}

/** Stands for `postern listen`: answers each delivery with 200. */
function answerAll(url: string, ticket: string, signal: AbortSignal): void {
  const socket = new WebSocket(url, ["postern.listen.v1", ticket]);
  socket.addEventListener("message", ({ data }) => {
    const { t, id } = JSON.parse(String(data)) as { t: string; id: string };
    if (t === "event") socket.send(JSON.stringify({ t: "answer", id, status: 200, body: "heard" }));
  });
  signal.addEventListener("abort", () => socket.close());
}
