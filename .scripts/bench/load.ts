/**
 * Closed-loop load over node:http: `concurrency` loops, each sends its next request when the last one has been
 * answered.
 */
import http from "node:http";
import { performance } from "node:perf_hooks";

const REQUEST_TIMEOUT_MS = 60_000;
/** Ends an idle connection before workerd does: a request must not use one that is about to be closed. */
const IDLE_CONNECTION_MS = 2_000;

export interface Call {
  method?: "GET" | "POST" | "PATCH";
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** The body as it is sent, in place of `body`. */
  raw?: string;
}

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

export interface Client {
  send(call: Call): Promise<Answer>;
  close(): void;
}

/** A client with at most `connections` connections, kept alive. undici's Pool is measurably slower. */
export function createClient(base: string, connections: number): Client {
  const { hostname, port } = new URL(base);
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections, timeout: IDLE_CONNECTION_MS });
  const send = ({ method = "GET", path, headers = {}, body, raw }: Call) =>
    new Promise<Answer>((resolve, reject) => {
      const data = raw ?? (body === undefined ? "" : JSON.stringify(body));
      const given = data === "" ? {} : bodyHeaders(data);
      const options = { hostname, port, method, path, agent, timeout: REQUEST_TIMEOUT_MS };
      const request = http.request({ ...options, headers: { ...given, ...headers } }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      request.on("timeout", () => request.destroy(new Error(`no answer to ${method} ${path}`)));
      request.on("error", reject).end(data);
    });
  return { send, close: () => agent.destroy() };
}

const bodyHeaders = (data: string) => ({
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(data)),
});

export interface Operation {
  name: string;
  client: Client;
  /** The answer that counts as done; any other ends the run. */
  status: number;
  /** The request number `index` of the whole run, warm-up included. */
  call(index: number): Call;
  read?(answer: Answer, index: number): void;
}

export interface Sample {
  opsPerSecond: number;
  latenciesMs: number[];
}

/** Sends requests number `from` to `from + count - 1`, or as many of them as can begin within `maxMs`. */
export async function closedLoop(
  { name, client, status, call, read }: Operation,
  { from, count, concurrency, maxMs = Infinity }: { from: number; count: number; concurrency: number; maxMs?: number },
): Promise<Sample> {
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  let next = from;
  const loop = async () => {
    while (next < from + count && performance.now() < startMs + maxMs) {
      const index = next++;
      const request = call(index);
      const sentMs = performance.now();
      const answer = await client.send(request);
      latenciesMs.push(performance.now() - sentMs);
      if (answer.status !== status) throw new Error(`${name}: ${answer.status} ${answer.text.slice(0, 300)}`);
      read?.(answer, index);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  const seconds = (performance.now() - startMs) / 1000;
  return { opsPerSecond: latenciesMs.length / seconds, latenciesMs };
}
