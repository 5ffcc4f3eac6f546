import type { Client } from "postern/client";

/** Signs the user out everywhere else. Returns where that was. */
export async function endOtherSessions(postern: Client): Promise<(string | null)[]> {
  const others = (await postern.sessions.list()).filter(({ current }) => !current);
  for (const { id } of others) await postern.sessions.revoke(id);
  return others.map(({ deviceName }) => deviceName);
}
