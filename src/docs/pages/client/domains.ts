import type { Client } from "postern/client";

/** Adds a domain, and returns the record that proves it once it is in the zone of the domain. */
export async function addDomain(postern: Client, domain: string): Promise<{ name: string; value: string }> {
  const { record } = await postern.domains.create({ domain });
  return record;
}
