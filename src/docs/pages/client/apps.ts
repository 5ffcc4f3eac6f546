import type { Client } from "postern/client";

/** Takes back what the signed-in user has allowed the apps of this name. */
export async function disconnect(postern: Client, name: string): Promise<void> {
  for (const { id, client } of await postern.apps.list()) {
    if (client.name === name) await postern.apps.disconnect(id);
  }
}
