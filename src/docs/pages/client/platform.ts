import { createClient } from "postern/client";

/** Creates a customer with its first user, and publishes for it. Running it again changes nothing. */
export async function addCustomer(baseUrl: string, platformKey: string, customer: { id: string; email: string }) {
  const postern = createClient({ baseUrl, platformKey });
  const tenant = `ext:${customer.id}`;
  const user = `ext:${customer.id}-owner`;
  await postern.platform.tenants.create({ name: `Customer ${customer.id}`, externalId: customer.id });
  await postern.platform.users.create({ email: customer.email, externalId: `${customer.id}-owner` });
  await postern.platform.members.add(tenant, { user, role: "owner" });
  return postern.inTenant(tenant).events.publish({ type: "CustomerAdded", payload: { id: customer.id } });
}
