import { type Client, createClient } from "postern/client";

/** Replaces a program's key: issues a new one, and revokes those of the same name. */
export async function replaceKey(postern: Client, name: string): Promise<string> {
  const old = (await postern.apiKeys.list()).filter((key) => key.name === name);
  const { key } = await postern.apiKeys.create({ name, scopes: ["event.publish"] });
  for (const { id } of old) await postern.apiKeys.revoke(id);
  return key; // Keep it: the service cannot return it again.
}

/** A client for the program. It has no tokens to keep or to renew. */
export const asProgram = (baseUrl: string, apiKey: string): Client => createClient({ baseUrl, apiKey });
