import type { Client } from "postern/client";

/** Opens a listener, and passes each of its deliveries to `handle`, which returns a status. */
export async function listenTo(
  postern: Client,
  open: (path: string, protocols: string[]) => WebSocket | Promise<WebSocket>,
  handle: (headers: Record<string, string>, body: string) => Promise<number>,
): Promise<WebSocket> {
  const { _id: id, ticket } = await postern.listen.open({ events: ["*"], name: "My laptop" });
  const socket = await open(`/api/v1/listen/${id}/socket`, ["postern.listen.v1", ticket]);
  socket.addEventListener("message", async ({ data }) => {
    const frame = JSON.parse(String(data));
    if (frame.t !== "event") return;
    const status = await handle(frame.headers, atob(frame.body));
    socket.send(JSON.stringify({ t: "answer", id: frame.id, status }));
  });
  return socket;
}
