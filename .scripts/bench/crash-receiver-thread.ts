/** The thread of the crash run's subscriber. Reports every POST to its parent. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { ANSWER_MS, type Behaviour, type Report } from "./crash-receiver.ts";

/** One event in so many is refused once, so that kills also hit retries. */
const REFUSE_EVERY = 10;

const behaviour = workerData as Behaviour;
const known = new Set<number>();
const tell = (report: Report) => parentPort?.postMessage(report);

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return; // A kill cut it off.
  }
  const { n } = JSON.parse(Buffer.concat(chunks).toString()) as { n: number };
  const isRefused = !known.has(n) && (behaviour === "failing" || n % REFUSE_EVERY === 0);
  known.add(n);
  const deliveryId = String(request.headers["webhook-id"]);
  tell({ n, arrival: { deliveryId, at: Date.now(), accepted: !isRefused } });
  if (ANSWER_MS[behaviour] > 0) await sleep(ANSWER_MS[behaviour]);
  response.writeHead(isRefused ? 503 : 200).end();
});

server.listen(0, "127.0.0.1", () => tell({ port: (server.address() as AddressInfo).port }));
