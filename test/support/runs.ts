/** Deliveries for a run of a consumer, and receivers that answer at once. */
import { vi } from "vitest";
import type { ShardKey } from "../../src/base/messages";
import type { Person } from "./client";
import { addDelivery, type Key } from "./engine";
import { newInbox, subscribe } from "./receiver";
import { SHARD } from "./shard";

/** Makes deliveries of a new subscription. */
export async function deliveriesOf(person: Person, count: number): Promise<Key[]> {
  const webhookId = await subscribe(person, newInbox("200").url);
  const keys: Key[] = [];
  while (keys.length < count) keys.push(await addDelivery(person, webhookId));
  return keys;
}

/** Answers every request at once. Returns the ids of the deliveries that were sent. */
export function answerAll(): (string | null)[] {
  const sent: (string | null)[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    sent.push(new Headers(init.headers).get("webhook-id"));
    return new Response("done");
  });
  return sent;
}

/** Answers every request at once. Resolves with the id of the first delivery. */
export function answerFirst(): Promise<string | null> {
  const arrived = Promise.withResolvers<string | null>();
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    arrived.resolve(new Headers(init.headers).get("webhook-id"));
    return new Response("done");
  });
  return arrived.promise;
}

export const inShard = (keys: readonly Key[]): ShardKey[] => keys.map((key) => ({ ...key, shard: SHARD }));
