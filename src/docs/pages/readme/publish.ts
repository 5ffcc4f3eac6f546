import { createClient } from "postern/client";

/** Publishes an event. `apiKey` needs the scope `event.publish`. */
export async function orderPaid(apiKey: string, order: { id: number; total: number }): Promise<void> {
  const postern = createClient({ baseUrl: "https://postern.example.com", apiKey });
  const options = { idempotencyKey: `order-paid-${order.id}` }; // Repeating the call publishes nothing twice.
  const { id, deliveries } = await postern.events.publish({ type: "OrderPaid", payload: order }, options);
  console.log(`Event ${id} goes to ${deliveries} subscriptions.`);
}
