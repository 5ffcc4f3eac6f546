/**
 * The subscribers, in a thread of their own: `/ok/...` answers at once, `/hang/...` never, and `/other/MS/...` after so
 * many milliseconds.
 * `/timed/...` answers at once too. Reports to its parent what arrived at `/ok` and when, when something arrived at
 * `/timed`, and how much arrived at the other paths.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { parentPort } from "node:worker_threads";

const REPORT_INTERVAL_MS = 50;

let arrived: [n: number, atMs: number][] = [];
let hanging = 0;
let others = 0;
let times: number[] = [];
/** The deliveries that have come to `/again`. */
const met = new Set<string>();

const server = createServer((request, response) => {
  const atMs = performance.timeOrigin + performance.now();
  if (request.url?.startsWith("/hang")) {
    hanging += 1;
    request.resume();
    return;
  }
  const isFirst = request.url?.startsWith("/again/") && !met.has(String(request.headers["webhook-id"]));
  if (isFirst) {
    met.add(String(request.headers["webhook-id"]));
    request.resume();
    request.on("end", () => response.writeHead(500).end("again"));
    return;
  }
  if (request.url?.startsWith("/other/") || request.url?.startsWith("/again/")) {
    const waitMs = Number(request.url.split("/")[2]);
    others += 1;
    request.resume();
    request.on("end", () => (waitMs === 0 ? response.end("ok") : setTimeout(() => response.end("ok"), waitMs)));
    return;
  }
  if (request.url?.startsWith("/timed")) {
    times.push(atMs);
    request.resume();
    request.on("end", () => response.end("ok"));
    return;
  }
  let text = "";
  request.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  request.on("end", () => {
    arrived.push([(JSON.parse(text) as { n: number }).n, atMs]);
    response.end("ok");
  });
});
server.keepAliveTimeout = 60_000;

server.listen(0, "127.0.0.1", () => parentPort?.postMessage({ port: (server.address() as AddressInfo).port }));
setInterval(() => {
  if (arrived.length === 0 && hanging === 0 && others === 0 && times.length === 0) return;
  parentPort?.postMessage({ arrived, hanging, others, times });
  arrived = [];
  times = [];
  hanging = 0;
  others = 0;
}, REPORT_INTERVAL_MS);
