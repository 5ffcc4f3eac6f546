import type { Client } from "postern/client";

/** One page, for a table with a button "Older". */
export async function newestEvents(postern: Client, cursor?: string) {
  const { data, nextCursor } = await postern.events.list({ limit: 20, cursor });
  return { rows: data.map(({ id, type }) => `${id} ${type}`), older: nextCursor };
}

/** All of them. `break` stops the reading. */
export async function countEvents(postern: Client, type: string): Promise<number> {
  let count = 0;
  for await (const _ of postern.events.list({ type, limit: 100 })) count += 1;
  return count;
}
