/** The subscriber of the crash run: it outlives the service and remembers every POST. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** One event in so many is refused once, so that kills also hit retries. */
const REFUSE_EVERY = 10;
const SLOW_MS = 300;

/** How the subscriber answers: at once, after 300 ms, or 503 to the first POST of every event. */
export const BEHAVIOURS = ["quick", "slow", "failing"] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

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

export interface Receiver {
  url: string;
  arrivals: Arrivals;
  close(): void;
}

/** Starts a subscriber. */
export async function startReceiver(behaviour: Behaviour): Promise<Receiver> {
  const arrivals: Arrivals = new Map();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // A kill cut it off.
    }
    const { n } = JSON.parse(Buffer.concat(chunks).toString()) as { n: number };
    const earlier = arrivals.get(n) ?? [];
    const isRefused = earlier.length === 0 && (behaviour === "failing" || n % REFUSE_EVERY === 0);
    const deliveryId = String(request.headers["webhook-id"]);
    arrivals.set(n, [...earlier, { deliveryId, at: Date.now(), accepted: !isRefused }]);
    if (behaviour === "slow") await sleep(SLOW_MS);
    response.writeHead(isRefused ? 503 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, arrivals, close: () => server.close() };
}
