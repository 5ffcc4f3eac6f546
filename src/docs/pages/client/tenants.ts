import type { Client } from "postern/client";

/** Switches to another tenant of the user. Returns false if the user has no tenant of that name. */
export async function switchTo(postern: Client, name: string): Promise<boolean> {
  const tenant = (await postern.tenants.list()).find((candidate) => candidate.name === name);
  if (tenant && !tenant.current) await postern.tenants.switchTo(tenant.id);
  return tenant !== undefined;
}
