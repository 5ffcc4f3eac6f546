import type { Client } from "postern/client";

/** Registers a wiki of the tenant, whose members then sign in to it, and returns what the wiki is set up with. */
export async function registerWiki(postern: Client, callback: string) {
  const { id, secret } = await postern.clients.create({ name: "Our wiki", redirectUrls: [callback] });
  return { clientId: id, clientSecret: secret };
}
