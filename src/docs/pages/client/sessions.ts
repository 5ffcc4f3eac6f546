import type { Client } from "postern/client";

/** Signs the user out everywhere else. Returns the names of those devices. */
export async function endOtherSessions(postern: Client): Promise<(string | null)[]> {
  const devices: (string | null)[] = [];
  for await (const { id, deviceName, current } of postern.sessions.list()) {
    if (current) continue;
    await postern.sessions.revoke(id);
    devices.push(deviceName);
  }
  return devices;
}
