import type { Client } from "postern/client";

/** Makes a connection, and returns the redirect URI to enter at the identity provider. */
export async function connectProvider(postern: Client, name: string): Promise<string> {
  const { redirectUri } = await postern.connections.create({ name });
  return redirectUri;
}
