/** An even stream of events to ten subscriptions, some of which hang: how long after its 202 an event reaches the healthy ones. */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createAccount, publishCall, subscribe } from "./account.ts";
import { createClient } from "./load.ts";
import type { Receiver } from "./receiver.ts";
import type { Service } from "./serve.ts";

const TYPE = "Streamed";
const CONNECTIONS = 64;

export interface Stream {
  subscriptions: number;
  /** How many of the subscriptions accept the connection and never answer. */
  hanging: number;
  events: number;
  eventsPerSecond: number;
}

/** Milliseconds from the 202 to the arrival, one for each delivery to a healthy subscription; 0 when it overtook its 202. */
export async function streamEvents(service: Service, receiver: Receiver, stream: Stream): Promise<number[]> {
  const { hanging, events, eventsPerSecond } = stream;
  const healthy = stream.subscriptions - hanging;
  const client = createClient(service.base, CONNECTIONS);
  const publisher = await createAccount(client);
  // Mixed, so that neither kind is always first in a batch.
  await subscribe(publisher, TYPE, receiver.hangUrl, Math.ceil(hanging / 2));
  await subscribe(publisher, TYPE, receiver.okUrl, healthy);
  await subscribe(publisher, TYPE, receiver.hangUrl, Math.floor(hanging / 2));
  receiver.clear();
  const acceptedMs: number[] = [];
  const startMs = performance.now();
  const publish = async (n: number) => {
    await sleep(Math.max(0, startMs + (n * 1000) / eventsPerSecond - performance.now()));
    const answer = await client.send(publishCall(publisher, TYPE, n));
    acceptedMs[n] = performance.timeOrigin + performance.now();
    if (answer.status !== 202) throw new Error(`publish: ${answer.status} ${answer.text.slice(0, 300)}`);
  };
  await Promise.all(Array.from({ length: events }, (_, n) => publish(n)));
  await receiver.waitFor(events * healthy);
  client.close();
  return receiver.arrivals.map(({ n, atMs }) => Math.max(0, atMs - (acceptedMs[n] ?? Number.NaN)));
}
