import type { Client } from "postern/client";

/** Who has changed the members and subscriptions since then. */
export async function changesSince(postern: Client, since: string): Promise<string[]> {
  const lines: string[] = [];
  for (const action of ["member.*", "webhook.*"]) {
    for await (const { at, actor, action: did } of postern.audit.list({ action, since })) {
      lines.push(`${at} ${actor.name} ${did}`);
    }
  }
  return lines.sort();
}
