import type { Client } from "postern/client";

/** Publishes all of the orders or none. Calling it again after an error publishes nothing twice. */
export async function publishOrders(postern: Client, orders: { id: number }[]): Promise<string[]> {
  const events = orders.map((order) => {
    return { type: "OrderPaid", payload: order, idempotencyKey: `order-${order.id}-paid` };
  });
  return (await postern.events.publishBatch(events)).map(({ id }) => id);
}

/** Why an event has not arrived: a line for each subscription that wanted it and does not have it. */
export async function whyNotArrived(postern: Client, eventId: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { name, state, reason, attempt } of postern.events.outcomes(eventId)) {
    if (state !== "delivered") lines.push(`${name}: ${state}, ${attempt?.error ?? reason}`);
  }
  return lines;
}
