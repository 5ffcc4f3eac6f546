/**
 * What the scenes of the fairness run share: a stream of events to healthy subscribers, alone and then beside
 * something.
 */
import { type Account, subscribe } from "./account.ts";
import type { Bundles } from "./build.ts";
import type { Receiver } from "./receiver.ts";
import type { Service } from "./serve.ts";
import { createPublisher, streamEvents } from "./steady.ts";

export const TYPE = "Streamed";
export const HEALTHY = 5;
/** The rate of a stream: well below what the engine can do, because otherwise the queue would be measured. */
const EVENTS_PER_SECOND = 20;
const WARM_UP_SECONDS = 4;

export interface Setting {
  bundles: Bundles;
  receiver: Receiver;
  /** The length of one stream. */
  seconds: number;
  rounds: number;
  progress(text: string): void;
}

/** Latencies at the healthy subscribers from 202 to arrival, in ms, for each round. */
export interface Comparison {
  aloneMs: number[][];
  besideMs: number[][];
  /** Another requirement of the scene. */
  note?: { text: string; isMet: boolean };
}

interface Healthy {
  publisher: Account;
  aloneType: string;
  besideType: string;
}

/**
 * Streams alone, runs `begin`, and streams again beside what that has started. `begin` returns the function that ends
 * it.
 */
export async function compare(
  { receiver, seconds, rounds }: Setting,
  { publisher, aloneType, besideType }: Healthy,
  begin: () => Promise<() => void>,
): Promise<Comparison> {
  const stream = (type: string, length: number) =>
    streamEvents(receiver, {
      publisher,
      type,
      arrivalsPerEvent: HEALTHY,
      events: length * EVENTS_PER_SECOND,
      eventsPerSecond: EVENTS_PER_SECOND,
    });
  const [aloneMs, besideMs]: [number[][], number[][]] = [[], []];
  await stream(aloneType, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round += 1) aloneMs.push(await stream(aloneType, seconds));
  const end = await begin();
  for (let round = 0; round < rounds; round += 1) besideMs.push(await stream(besideType, seconds));
  end();
  return { aloneMs, besideMs };
}

export async function createHealthy(service: Service, receiver: Receiver): Promise<Healthy> {
  const publisher = await createPublisher(service);
  await subscribe(publisher, TYPE, receiver.okUrl, HEALTHY);
  return { publisher, aloneType: TYPE, besideType: TYPE };
}

export async function stop(service: Service, ...publishers: Account[]): Promise<void> {
  for (const { client } of publishers) client.close();
  await service.stop();
}
