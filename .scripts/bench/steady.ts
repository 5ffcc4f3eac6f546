/** An even stream of events: how long after its 202 each delivery arrives. */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, createAccount, publishCall, subscribe } from "./account.ts";
import { createClient } from "./load.ts";
import type { Receiver } from "./receiver.ts";
import type { Service } from "./serve.ts";

const CONNECTIONS = 64;

export interface Stream {
  /** The account that publishes. */
  publisher: Account;
  type: string;
  /** How many subscriptions receive the type at the receiver's `okUrl`. */
  arrivalsPerEvent: number;
  events: number;
  eventsPerSecond: number;
}

/**
 * Milliseconds from the 202 to the arrival, one for each delivery that arrives at `okUrl`; 0 when it overtook its 202.
 */
export async function streamEvents(receiver: Receiver, stream: Stream): Promise<number[]> {
  const { publisher, type, arrivalsPerEvent, events, eventsPerSecond } = stream;
  receiver.clear();
  const acceptedMs: number[] = [];
  const startMs = performance.now();
  const publish = async (n: number) => {
    await sleep(Math.max(0, startMs + (n * 1000) / eventsPerSecond - performance.now()));
    const answer = await publisher.client.send(publishCall(publisher, type, n));
    acceptedMs[n] = performance.timeOrigin + performance.now();
    if (answer.status !== 202) throw new Error(`publish: ${answer.status} ${answer.text.slice(0, 300)}`);
  };
  await Promise.all(Array.from({ length: events }, (_, n) => publish(n)));
  await receiver.waitFor(events * arrivalsPerEvent);
  return receiver.arrivals.map(({ n, atMs }) => Math.max(0, atMs - (acceptedMs[n] ?? Number.NaN)));
}

/** Creates a tenant that nothing else uses, with connections of its own. Close its client at the end. */
export const createPublisher = (service: Pick<Service, "base">): Promise<Account> =>
  createAccount(createClient(service.base, CONNECTIONS));

/**
 * Subscribes `healthy` webhooks and `hanging` ones that never answer, mixed, so that neither kind is always first in a
 * batch.
 */
export async function subscribeMixed(
  publisher: Account,
  receiver: Receiver,
  type: string,
  { healthy, hanging }: { healthy: number; hanging: number },
): Promise<void> {
  await subscribe(publisher, type, receiver.hangUrl, Math.ceil(hanging / 2));
  await subscribe(publisher, type, receiver.okUrl, healthy);
  await subscribe(publisher, type, receiver.hangUrl, Math.floor(hanging / 2));
}
