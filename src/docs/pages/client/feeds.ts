import type { Client } from "postern/client";

/** Makes a feed of all events of orders. The token reads it, and is shown only here. */
export async function feedOfOrders(postern: Client): Promise<{ id: string; token: string }> {
  return postern.feeds.create({ name: "Orders", events: ["order.*"] });
}

/** Handles each event of a feed from its beginning on, and waits for new ones, until `signal` aborts. */
export async function follow(
  postern: Client,
  feedId: string,
  handle: (type: string, payload: unknown) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for await (const { event } of postern.feeds.read(feedId, { consumer: "billing", from: "oldest", signal })) {
    await handle(event.type, event.payload);
  }
}
