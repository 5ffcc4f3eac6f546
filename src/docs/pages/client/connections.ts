import type { Client } from "postern/client";

/** Makes a connection, and returns the redirect URI to enter at the identity provider; directories alone have none. */
export async function connectProvider(postern: Client, name: string): Promise<string | undefined> {
  const { redirectUri } = await postern.connections.create({ name });
  return redirectUri;
}
