import type { Client } from "postern/client";

/** Freezes what a tenant sends until `isMended` resolves. `password` is the operator's own. */
export async function freezeWhile(postern: Client, tenantName: string, isMended: Promise<void>, password: string) {
  const { tenants } = await postern.operator.search(tenantName);
  const [tenant] = tenants;
  if (!tenant) throw new Error(`There is no tenant ${tenantName}`);
  await postern.operator.holdSendsOf(tenant.id, { password });
  await isMended;
  await postern.operator.releaseSendsOf(tenant.id, { password });
}
