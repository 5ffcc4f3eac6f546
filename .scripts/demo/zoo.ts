/** Six subscribers as one meets them, on this machine: each behaves in its own way and checks the signatures. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const SLOW_MS = 2_000;

export interface Animal {
  name: string;
  events: string[];
  does: string;
  url: string;
  secret: string;
}

interface Habit {
  events: string[];
  does: string;
  /** Answers a delivery that has come `times` times. */
  answer: (response: ServerResponse, times: number) => void;
}

const HABITS: Record<string, Habit> = {
  healthy: { events: ["*"], does: "answers 200 at once", answer: (response) => response.end("thank you") },
  slow: {
    events: ["OrderPaid"],
    does: "answers 200 after 2 s",
    answer: (response) => setTimeout(() => response.end("at last"), SLOW_MS),
  },
  flaky: {
    events: ["OrderPlaced", "OrderPaid"],
    does: "answers 503 at first, 200 at the second attempt",
    answer: (response, times) => response.writeHead(times > 1 ? 200 : 503).end(times > 1 ? "better" : "too busy"),
  },
  failing: {
    events: ["OrderShipped"],
    does: "answers 500, always",
    answer: (response) => response.writeHead(500).end("a bug of theirs"),
  },
  hanging: { events: ["InvoiceOverdue"], does: "never answers", answer: () => undefined },
  closed: { events: ["CustomerJoined"], does: "nobody listens at its port", answer: (response) => response.end() },
};

/** Opens the zoo; `close` ends it at once. */
export async function openZoo(): Promise<{ animals: Animal[]; close: () => void }> {
  const servers = new Map<string, ReturnType<typeof createServer>>();
  const animals: Animal[] = [];
  for (const [name, { events, does, answer }] of Object.entries(HABITS)) {
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
      answer(response, times.get(id) ?? 1);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    servers.set(name, server);
    animals.push({ name, events, does, secret, url: `http://127.0.0.1:${port}/${name}` });
  }
  servers.get("closed")?.close();
  const close = () => {
    for (const server of servers.values()) {
      server.close();
      server.closeAllConnections();
    }
  };
  return { animals, close };
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
