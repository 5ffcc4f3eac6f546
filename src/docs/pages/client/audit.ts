import type { Client } from "postern/client";

/** Lists who has changed members and subscriptions since a time. */
export async function changesSince(postern: Client, since: string): Promise<string[]> {
  const lines: string[] = [];
  for (const action of ["member.*", "webhook.*"]) {
    for await (const { at, actor, action: did } of postern.audit.list({ action, since })) {
      lines.push(`${at} ${actor.name} ${did}`);
    }
  }
  return lines.sort();
}
