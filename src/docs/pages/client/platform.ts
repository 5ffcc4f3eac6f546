import { createClient } from "postern/client";

/** Creates a customer with its first user, and publishes for it. Running it again within a day changes nothing. */
export async function addCustomer(baseUrl: string, platformKey: string, customer: { id: string; email: string }) {
  const postern = createClient({ baseUrl, platformKey });
  const tenant = `ext:${customer.id}`;
  const user = `ext:${customer.id}-owner`;
  await postern.platform.tenants.create({ name: `Customer ${customer.id}`, externalId: customer.id });
  await postern.platform.users.create({ email: customer.email, externalId: `${customer.id}-owner` });
  await postern.platform.members.add(tenant, { user, role: "owner" });
  const event = { type: "CustomerAdded", payload: { id: customer.id } };
  return postern.inTenant(tenant).events.publish(event, { idempotencyKey: `added-${customer.id}` });
}
