/** The counting pass: D1 round trips and rows of each operation, one request after the other, on the counted build. */
import { setTimeout as sleep } from "node:timers/promises";
import { createAccount, publishCall, subscribe } from "./account.ts";
import { type Client, closedLoop, createClient } from "./load.ts";
import { createOperations } from "./operations.ts";
import { emptyOutbox } from "./outbox.ts";
import type { Receiver } from "./receiver.ts";
import type { Run } from "./run.ts";
import { type Service, serve } from "./serve.ts";

/** The name for the cost of one delivery, measured with events to ten subscriptions. */
export const DELIVERY = "deliveries, all rows written";
const REQUESTS = 4;
const EVENTS = 20;
const WIDTH = 10;
/** Longer than it takes to queue what follows a result. */
const SETTLE_MS = 1_000;

/** What D1 reports in its results. Rows written include those of indexes. */
export interface Cost {
  trips: number;
  rowsRead: number;
  rowsWritten: number;
}

interface Counters {
  http: Cost;
  queue: Cost;
}

const each = (cost: Cost, count: number): Cost => ({
  trips: cost.trips / count,
  rowsRead: cost.rowsRead / count,
  rowsWritten: cost.rowsWritten / count,
});

/** Costs by the name of the operation. */
export async function countCosts({ bundles, receiver, wants }: Run): Promise<Map<string, Cost>> {
  const service = await serve(bundles, { worker: "counted" });
  const client = createClient(service.base, 1);
  const counters = async () => JSON.parse((await client.send({ path: "/bench/counters" })).text) as Counters;
  const costs = new Map<string, Cost>();
  try {
    const rows = await createOperations({ full: client, held: client, receiverUrl: receiver.okUrl });
    for (const { operation, prepare } of rows.filter((row) => wants(row.operation.name))) {
      await prepare?.(REQUESTS);
      await counters();
      await closedLoop(operation, { from: 0, count: REQUESTS, concurrency: 1 });
      costs.set(operation.name, each((await counters()).http, REQUESTS));
    }
    if (wants(DELIVERY)) costs.set(DELIVERY, await countDelivery(service, client, receiver, counters));
  } finally {
    client.close();
    await service.stop();
  }
  return costs;
}

async function countDelivery(
  { database }: Service,
  client: Client,
  receiver: Receiver,
  counters: () => Promise<Counters>,
): Promise<Cost> {
  const publisher = await createAccount(client);
  await subscribe(publisher, "Counted", receiver.okUrl, WIDTH);
  // The operations before have published events, too.
  await emptyOutbox(database);
  await sleep(SETTLE_MS);
  receiver.clear();
  await counters();
  for (let n = 0; n < EVENTS; n += 1) await client.send(publishCall(publisher, "Counted", n));
  await receiver.waitFor(EVENTS * WIDTH);
  await emptyOutbox(database);
  return each((await counters()).queue, EVENTS * WIDTH);
}
