/** The subscriber of the crash run: it outlives the service and remembers every POST. */
import { Worker } from "node:worker_threads";

/** How the subscriber answers: at once, after 300 ms, or 503 to the first POST of every event. */
export const BEHAVIOURS = ["quick", "slow", "failing"] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** How long it takes to answer. */
export const ANSWER_MS: Record<Behaviour, number> = { quick: 0, slow: 300, failing: 0 };

/** One POST whose body arrived completely. */
export interface Arrival {
  deliveryId: string;
  /** Unix ms. */
  at: number;
  /** False when the answer was not 200. */
  accepted: boolean;
}

/** The arrivals of each event in order, by the number in its payload. */
export type Arrivals = Map<number, Arrival[]>;

/** What the thread reports. */
export type Report = { port: number } | { n: number; arrival: Arrival };

export interface Receiver {
  url: string;
  arrivals: Arrivals;
  close(): void;
}

/** Starts a subscriber, in a thread of its own: it must answer at once while this thread publishes, reads and kills. */
export async function startReceiver(behaviour: Behaviour): Promise<Receiver> {
  const arrivals: Arrivals = new Map();
  const thread = new Worker(new URL("./crash-receiver-thread.ts", import.meta.url), { workerData: behaviour });
  const port = await new Promise<number>((resolve, reject) => {
    thread.once("error", reject);
    thread.on("message", (report: Report) => {
      if ("port" in report) return resolve(report.port);
      arrivals.set(report.n, [...(arrivals.get(report.n) ?? []), report.arrival]);
    });
  });
  return { url: `http://127.0.0.1:${port}/`, arrivals, close: () => void thread.terminate() };
}
