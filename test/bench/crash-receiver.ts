/** The subscriber of the crash run: it outlives the service and remembers every POST. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Of so many events one is refused once, so that kills also hit retries. */
const REFUSE_EVERY = 10;

/** One POST that came in whole. */
export interface Arrival {
  deliveryId: string;
  /** Unix ms. */
  at: number;
  /** False when we answered 500. */
  accepted: boolean;
}

/** Every arrival of each event, by the number in its payload. */
export type Arrivals = Map<number, Arrival[]>;

export async function startReceiver(): Promise<{ url: string; arrivals: Arrivals; close: () => void }> {
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
    const accepted = n % REFUSE_EVERY > 0 || earlier.length > 0;
    arrivals.set(n, [...earlier, { deliveryId: String(request.headers["webhook-id"]), at: Date.now(), accepted }]);
    response.writeHead(accepted ? 200 : 500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, arrivals, close: () => server.close() };
}
