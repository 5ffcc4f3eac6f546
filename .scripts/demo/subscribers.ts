/** Fourteen subscribers on this machine. Each behaves in its own way, and each checks the signatures. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const SLOW_MS = 2_000;
const GATEWAY_KEY = randomBytes(16).toString("hex");

/** A running subscriber, and what to subscribe it to. */
export interface Subscriber {
  name: string;
  events: string[];
  /** What it does, for people. */
  does: string;
  url: string;
  secret: string;
  /** The delivery options to subscribe it with. */
  delivery?: object | undefined;
}

interface Behaviour {
  events: string[];
  does: string;
  /** Answers a delivery that has arrived `times` times. */
  answer: (response: ServerResponse, times: number, headers: IncomingHttpHeaders) => void;
  delivery?: object;
}

const BEHAVIOURS: Record<string, Behaviour> = {
  healthy: { events: ["*"], does: "answers 200 at once", answer: (response) => response.end("ok") },
  slow: {
    events: ["OrderPaid"],
    does: "answers 200 after 2 s",
    answer: (response) => setTimeout(() => response.end("ok, but slow"), SLOW_MS),
  },
  flaky: {
    events: ["OrderPlaced", "OrderPaid"],
    does: "answers 503 to the first attempt, 200 to the second",
    answer: (response, times) => response.writeHead(times > 1 ? 200 : 503).end(times > 1 ? "ok" : "too busy"),
  },
  failing: {
    events: ["OrderShipped"],
    does: "always answers 500; is retried for three days",
    answer: (response) => response.writeHead(500).end("internal error"),
    delivery: { retry: { schedule: "standard" } },
  },
  hanging: { events: ["InvoiceOverdue"], does: "never answers", answer: () => undefined },
  throttling: {
    events: ["OrderPaid"],
    does: "answers 429 with Retry-After: 20 to first attempts",
    answer: (response, times) =>
      times > 1 ? response.end("ok") : response.writeHead(429, { "Retry-After": "20" }).end("too many requests"),
    delivery: { retry: { respectRetryAfter: true } },
  },
  gone: {
    events: ["OrderPlaced"],
    does: "answers 410, and is disabled after a minute",
    answer: (response) => response.writeHead(410).end("gone"),
    delivery: { retry: { schedule: "standard" } },
  },
  gateway: {
    events: ["OrderPaid"],
    does: "answers 401 without its own header and a v1a signature",
    answer: (response, _times, headers) => {
      const isAllowed = headers["x-gateway-key"] === GATEWAY_KEY && / v1a,/.test(String(headers["webhook-signature"]));
      response.writeHead(isAllowed ? 200 : 401).end(isAllowed ? "ok" : "no key");
    },
    delivery: { headers: { "X-Gateway-Key": GATEWAY_KEY }, format: "standard", signature: "v1+v1a" },
  },
  limited: {
    events: ["*"],
    does: "takes six requests a minute; the others wait",
    answer: (response) => response.end("ok"),
    delivery: { rateLimit: { limit: 6, per: "minute" } },
  },
  held: {
    events: ["OrderPlaced", "OrderPaid"],
    does: "is paused, and gets what it missed when resumed",
    answer: (response) => response.end("ok"),
    delivery: { onPause: "hold" },
  },
  newcomer: {
    events: ["OrderPlaced", "OrderPaid"],
    does: "subscribes later; a replay sends it the earlier events",
    answer: (response) => response.end("ok"),
  },
  notices: {
    events: ["postern.*"],
    does: "receives what happens to the others and who did what",
    answer: (response) => response.end("ok"),
  },
  platform: {
    events: ["*"],
    does: "the product's own: hears of users, tenants and members",
    answer: (response) => response.end("ok"),
  },
  closed: { events: ["CustomerJoined"], does: "nothing listens on its port", answer: (response) => response.end() },
};

/** Starts all subscribers. `close` stops them at once. */
export async function openSubscribers(): Promise<{ subscribers: Subscriber[]; close: () => void }> {
  const servers = new Map<string, ReturnType<typeof createServer>>();
  const subscribers: Subscriber[] = [];
  for (const [name, { events, does, answer, delivery }] of Object.entries(BEHAVIOURS)) {
    const secret = randomBytes(16).toString("hex");
    const times = new Map<string, number>();
    const server = createServer(async (request, response) => {
      const body = await bodyOf(request);
      if (!isSigned(body, secret, String(request.headers["x-webhook-signature"]))) {
        response.writeHead(401).end("wrong signature");
        return;
      }
      const id = String(request.headers["webhook-id"]);
      times.set(id, (times.get(id) ?? 0) + 1);
      answer(response, times.get(id) ?? 1, request.headers);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    servers.set(name, server);
    subscribers.push({ name, events, does, secret, delivery, url: `http://127.0.0.1:${port}/${name}` });
  }
  servers.get("closed")?.close();
  const close = () => {
    for (const server of servers.values()) {
      server.close();
      server.closeAllConnections();
    }
  };
  return { subscribers, close };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function isSigned(body: Buffer, secret: string, signature: string): boolean {
  const expected = createHmac("sha256", secret).update(body).digest();
  const given = Buffer.from(signature, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
