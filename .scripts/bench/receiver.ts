/** Our end of the subscribers' thread. Bodies are `{ n: number }`; `n` says which event arrived. */
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

const POLL_MS = 5;
/** If nothing arrives for this long, what is missing counts as lost. */
const PATIENCE_MS = 60_000;

interface Arrival {
  n: number;
  /** By the clock `performance.timeOrigin + performance.now()`. */
  atMs: number;
}

export interface Receiver {
  okUrl: string;
  hangUrl: string;
  /** A URL that answers after this many milliseconds. Arrivals there are counted in `others` alone. */
  otherUrl(waitMs: number): string;
  /** Answers the first request of each delivery with 500 at once; the next ones are those of `otherUrl`. */
  againUrl(waitMs: number): string;
  /**
   * What came since the last `clear`, how many requests were left without an answer, and how many came to `otherUrl`.
   */
  arrivals: Arrival[];
  hung: number;
  others: number;
  /** Arrivals here are in `times` alone, in Unix ms. `clear` keeps them. */
  timedUrl: string;
  times: number[];
  clear(): void;
  /** Resolves when `count` have arrived; throws when they stop coming. */
  waitFor(count: number): Promise<void>;
  /** Like `waitFor`, for `times`. */
  waitForTimes(count: number): Promise<void>;
  stop(): Promise<number>;
}

type Report = { port: number } | { arrived: [number, number][]; hanging: number; others: number; times: number[] };

export async function startReceiver(): Promise<Receiver> {
  const thread = new Worker(new URL("./receiver-thread.ts", import.meta.url));
  const port = await new Promise<number>((resolve, reject) => {
    thread.once("error", reject);
    thread.once("message", (report: Report) => resolve("port" in report ? report.port : 0));
  });
  const receiver: Receiver = {
    okUrl: `http://127.0.0.1:${port}/ok`,
    hangUrl: `http://127.0.0.1:${port}/hang`,
    otherUrl: (waitMs) => `http://127.0.0.1:${port}/other/${waitMs}`,
    againUrl: (waitMs) => `http://127.0.0.1:${port}/again/${waitMs}`,
    timedUrl: `http://127.0.0.1:${port}/timed`,
    times: [],
    arrivals: [],
    hung: 0,
    others: 0,
    clear() {
      receiver.arrivals = [];
      receiver.hung = 0;
      receiver.others = 0;
    },
    waitFor: (count) => waitUntil(count, () => receiver.arrivals.length),
    waitForTimes: (count) => waitUntil(count, () => receiver.times.length),
    stop: () => thread.terminate(),
  };
  thread.on("message", (report: Report) => {
    if ("port" in report) return;
    for (const [n, atMs] of report.arrived) receiver.arrivals.push({ n, atMs });
    receiver.hung += report.hanging;
    receiver.others += report.others;
    receiver.times.push(...report.times);
  });
  return receiver;
}

async function waitUntil(count: number, arrived: () => number): Promise<void> {
  let seen = arrived();
  let end = Date.now() + PATIENCE_MS;
  while (arrived() < count) {
    await sleep(POLL_MS);
    if (arrived() > seen) {
      seen = arrived();
      end = Date.now() + PATIENCE_MS;
    }
    if (Date.now() > end) throw new Error(`${seen} of ${count} deliveries arrived`);
  }
}
