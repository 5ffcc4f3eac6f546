/** `npm run dev` beside the service that the bench measures: publishing with the deliveries that follow, and memory. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Account, createAccount, publishCall, subscribe } from "./account.ts";
import { createDevService } from "./dev-service.ts";
import { ratioOf } from "./interleave.ts";
import { closedLoop, createClient, type Sample } from "./load.ts";
import type { Receiver } from "./receiver.ts";
import type { Run } from "./run.ts";
import { serve } from "./serve.ts";
import { median } from "./statistics.ts";
import { ranged, verdict } from "./table.ts";

const TYPE = "Compared";
const WIDTH = 10;
const EVENTS_PER_TURN = 100;
const LEAST_RATIO = 0.7;
const MAX_MEMORY_MIB = 1.2 * 1024;
const DELIVERIES_PER_STEP = 1_000;
const SETTLE_MS = 1_000;

/** Prints the ratio of publishes per second, and the memory of `npm run dev` after `deliveries` deliveries. */
export async function compareDev(run: Run, deliveries: number): Promise<void> {
  const { receiver, concurrency, rounds, progress } = run;
  const dev = await createDevService();
  const direct = await serve(run.bundles);
  const clients = [];
  try {
    await dev.start();
    const accounts: Account[] = [];
    for (const { base } of [dev, direct]) {
      const client = createClient(base, concurrency);
      clients.push(client);
      const account = await createAccount(client);
      await subscribe(account, TYPE, receiver.okUrl, WIDTH);
      accounts.push(account);
    }
    const samples: Sample[][] = [[], []];
    for (let round = 0; round <= rounds; round += 1) {
      for (const [index, account] of accounts.entries()) {
        const sample = await turn(account, receiver, concurrency, EVENTS_PER_TURN);
        if (round > 0) samples[index]?.push(sample);
      }
    }
    const [ofDev = [], ofDirect = []] = samples;
    const ratio = ratioOf(ofDev, ofDirect);
    const rateOf = (list: Sample[]) => median(list.map(({ opsPerSecond }) => opsPerSecond)).toFixed(0);
    console.log(`publish to ${WIDTH}, deliveries beside: npm run dev ${rateOf(ofDev)}/s, direct ${rateOf(ofDirect)}/s`);
    console.log(`ratio ${ranged(ratio)} (>= ${LEAST_RATIO} ${verdict(ratio.median >= LEAST_RATIO)})`);

    const [account] = accounts;
    const memoryMiB = [dev.memoryMiB()];
    for (let done = 0; account && done < deliveries; done += DELIVERIES_PER_STEP) {
      await turn(account, receiver, concurrency, DELIVERIES_PER_STEP / WIDTH);
      memoryMiB.push(dev.memoryMiB());
      if (done % (10 * DELIVERIES_PER_STEP) === 0) progress(`npm run dev: ${memoryMiB.at(-1)?.toFixed(0)} MiB`);
    }
    const largest = Math.max(...memoryMiB);
    console.log(
      `npm run dev, all its processes: ${memoryMiB[0]?.toFixed(0)} MiB at first, at most ${largest.toFixed(0)} ` +
        `MiB during ${deliveries} deliveries (<= ${MAX_MEMORY_MIB.toFixed(0)} ` +
        `${verdict(largest <= MAX_MEMORY_MIB)})`,
    );
  } finally {
    for (const client of clients) client.close();
    await direct.stop();
    await dev.remove();
  }
}

/** Publishes, then waits for the deliveries, which do not count towards the time. */
async function turn(account: Account, receiver: Receiver, concurrency: number, count: number): Promise<Sample> {
  receiver.clear();
  const operation = {
    name: "publish",
    client: account.client,
    status: 202,
    call: (n: number) => publishCall(account, TYPE, n),
  };
  const sample = await closedLoop(operation, { from: 0, count, concurrency });
  await receiver.waitFor(count * WIDTH);
  await sleep(SETTLE_MS);
  return sample;
}
