/**
 * `npm run memory`: eight logins and eight full log pages at once, in a runtime whose heap is capped. Without a cap V8
 * collects garbage too late to tell what is needed. Where the heap does not suffice, the runtime dies and this run
 * fails. The platform ends an isolate at
 * 128 MiB; with the hasher's memory, which is not in the heap, the target is 100 MiB.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ask, createAccount, subscribe } from "./account.ts";
import { build } from "./build.ts";
import type { Database } from "./database.ts";
import { createClient } from "./load.ts";
import { freePorts, serve } from "./serve.ts";
import { table, verdict } from "./table.ts";

const AT_ONCE = 8;
const ROUNDS = 20;
const MAX_MIB = 100;
const MAX_HEAP_MIB = 64;
/** Argon2's memory at the chosen cost, in a WebAssembly module of its own (`src/base/crypto/passwords.ts`). */
const HASHER_MIB = 19;
const POLL_MS = 5;
const MIB = 1024 ** 2;
/** The largest response body that is logged, and the largest page of attempts. */
const BODY_BYTES = 16 * 1024;
const PAGE_ATTEMPTS = 100;
const PAYLOAD_BYTES = 64 * 1024;

/** What V8 reports, in bytes: its heap, and the buffers outside it. */
interface HeapUsage {
  usedSize: number;
  totalSize: number;
  backingStorageSize?: number;
}

process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-heap-size=${MAX_HEAP_MIB}`;
const [inspectorPort = 0] = await freePorts(1);
const service = await serve(await build(), { deliver: false, inspectorPort });
const client = createClient(service.base, 2 * AT_ONCE);
let isMet = false;
try {
  const account = await createAccount(client);
  // An account that logs in so often that the cap on sessions ends its first ones.
  const visitor = await createAccount(client);
  const [subscriptionId = ""] = await subscribe(account, "Logged", "http://127.0.0.1:9", 1);
  await fillLog(service.database, subscriptionId);
  const inspector = await inspect(inspectorPort);
  const idle = await inspector.usage();
  const login = {
    method: "POST" as const,
    path: "/api/v1/auth/login",
    body: { email: visitor.email, password: visitor.password },
  };
  const page = { path: `/api/v1/webhooks/${subscriptionId}/logs?limit=${PAGE_ATTEMPTS}`, headers: account.headers };
  let isRunning = true;
  let peak = idle;
  const watch = (async () => {
    while (isRunning) {
      const usage = await inspector.usage();
      if (mibOf(usage) > mibOf(peak)) peak = usage;
      await sleep(POLL_MS);
    }
  })();
  let pageBytes = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const calls = Array.from({ length: AT_ONCE }, () => [ask(client, login), client.send(page)] as const);
    for (const [signedIn, answered] of calls) {
      await signedIn;
      const { status, text } = await answered;
      if (status !== 200) throw new Error(`${page.path}: ${status} ${text.slice(0, 300)}`);
      pageBytes = text.length;
    }
  }
  isRunning = false;
  await watch;
  inspector.close();
  console.log(
    table([
      ["MiB", "heap", "buffers", "with the hasher"],
      ["idle", ...row(idle)],
      [`most, ${AT_ONCE} logins and ${AT_ONCE} pages of ${(pageBytes / MIB).toFixed(1)} MiB at once`, ...row(peak)],
    ]),
  );
  isMet = mibOf(peak) < MAX_MIB;
  console.log(`${verdict(isMet)}: below ${MAX_MIB} MiB`);
} finally {
  client.close();
  await service.stop();
}
process.exitCode = isMet ? 0 : 1;

function row({ totalSize, backingStorageSize = 0 }: HeapUsage): string[] {
  return [totalSize, backingStorageSize, totalSize + backingStorageSize + HASHER_MIB * MIB].map((bytes) =>
    (bytes / MIB).toFixed(1),
  );
}

function mibOf({ totalSize, backingStorageSize = 0 }: HeapUsage): number {
  return (totalSize + backingStorageSize) / MIB + HASHER_MIB;
}

/** Fills a log with attempts whose payloads and bodies are as large as they can be. */
async function fillLog(database: Database, subscriptionId: string): Promise<void> {
  const time = "printf('%012x', ?5 + i)";
  const id = `substr(${time}, 1, 8) || '-' || substr(${time}, 9) || '-7000-8000-' || printf('%012x', i)`;
  const eventId = "01900000-0000-7000-8000-000000000001";
  await database
    .prepare(
      `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
        SELECT ?1, tenant_id, 'Logged', ?2, 1, ?3 FROM subscriptions WHERE id = ?4`,
    )
    .bind(eventId, JSON.stringify("x".repeat(PAYLOAD_BYTES)), Date.now(), subscriptionId)
    .run();
  await database
    .prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
      INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, response_code, response_body,
        attempt_count, attempted_at, completed_at)
      SELECT ?2, ${id}, ?3, 'Logged', 'event', 'success', 200, ?4, 1, ?5 + i, ?5 + i FROM n`)
    .bind(2 * PAGE_ATTEMPTS, subscriptionId, eventId, "y".repeat(BODY_BYTES), Date.now() - 2 * PAGE_ATTEMPTS)
    .run();
}

/** Connects to the inspector of the Worker's isolate. */
async function inspect(port: number): Promise<{ usage(): Promise<HeapUsage>; close(): void }> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const target = targets.find(({ webSocketDebuggerUrl }) => webSocketDebuggerUrl.includes("postern"));
  if (!target) throw new Error(`no inspector of the Worker among ${JSON.stringify(targets)}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", reject);
  });
  let id = 0;
  const usage = () => {
    id += 1;
    const asked = id;
    const answer = new Promise<HeapUsage>((resolve) => {
      const listener = ({ data }: MessageEvent) => {
        const message = JSON.parse(String(data)) as { id?: number; result?: HeapUsage };
        if (message.id !== asked || !message.result) return;
        socket.removeEventListener("message", listener);
        resolve(message.result);
      };
      socket.addEventListener("message", listener);
    });
    socket.send(JSON.stringify({ id, method: "Runtime.getHeapUsage" }));
    return answer;
  };
  return { usage, close: () => socket.close() };
}
