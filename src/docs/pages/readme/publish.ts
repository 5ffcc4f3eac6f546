import { createClient } from "postern/client";

/** Makes a customer under your own id, and publishes an event for it. Both calls can be repeated. */
export async function orderPaid(platformKey: string, customer: string, order: { id: number }) {
  const postern = createClient({ baseUrl: "https://postern.example.com", platformKey });
  await postern.platform.tenants.create({ name: `Customer ${customer}`, externalId: customer });
  const tenant = postern.inTenant(`ext:${customer}`);
  return tenant.events.publish({ type: "OrderPaid", payload: order }, { idempotencyKey: `order-paid-${order.id}` });
}
