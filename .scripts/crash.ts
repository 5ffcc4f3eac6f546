/** `npm run crash [-- --seed N --kills N --events N]`: kill -9 of all of `npm run dev` under load; no accepted event may be lost. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    kills: { type: "string", default: "20" },
    events: { type: "string", default: "2000" },
  },
});
const eventCount = Number(values.events);
const killCount = Number(values.kills);
const PUBLISHERS = 10;
/** Few enough that the logs of a subscription, 50 rows, show every attempt. */
const EVENTS_PER_SUBSCRIPTION = 20;
const START_TIMEOUT_MS = 90_000;
const SETTLE_MS = 150_000;
const MAX_PENDING_MS = 120_000;
/** What arrived this shortly before a kill may not have been recorded, and may come again. */
const IN_FLIGHT_MS = 2_000;
const MAX_KILL_DELAY_MS = 300;

/** mulberry32: the same kills for the same seed. */
let prngState = Number(values.seed);
function random(): number {
  prngState = (prngState + 0x6d2b79f5) | 0;
  let t = Math.imul(prngState ^ (prngState >>> 15), 1 | prngState);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** When each event arrived, by its number. */
const arrivals = new Map<number, number[]>();
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { n } = JSON.parse(Buffer.concat(chunks).toString()) as { n: number };
  arrivals.set(n, [...(arrivals.get(n) ?? []), Date.now()]);
  response.end("ok");
});
const listen = (server: ReturnType<typeof createServer>) =>
  new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
const receiverPort = await listen(receiver);
const probe = createServer();
const port = await listen(probe);
probe.close();
const base = `http://localhost:${port}`;
const state = mkdtempSync(join(tmpdir(), "postern-crash-"));

async function start(): Promise<ChildProcess> {
  const limits = JSON.stringify({ publish: { limit: 1_000_000, windowSeconds: 60 } });
  const vars = [
    "--var",
    `RATE_LIMITS:${limits}`,
    "--var",
    "EMAIL_VERIFICATION:optional",
    "--var",
    "WEBHOOK_EGRESS:any",
  ];
  const flags = ["--port", String(port), "--inspector-port", "0", "--persist-to", state, ...vars];
  const dev = spawn(process.execPath, [".scripts/dev.ts", ...flags], { stdio: "ignore", detached: true });
  const end = Date.now() + START_TIMEOUT_MS;
  while (!(await fetch(`${base}/health`).catch(() => undefined))?.ok) {
    if (Date.now() > end) throw new Error("the service does not start");
    await sleep(100);
  }
  return dev;
}

/** Every process that `root` has started, and itself: found by parent, for wrangler has a group of its own. */
function treeOf(root: number): number[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const tree = [root];
  for (const pid of tree) tree.push(...pairs.flatMap(([child, parent]) => (parent === pid && child ? [child] : [])));
  return tree;
}

async function kill(dev: ChildProcess): Promise<void> {
  if (!dev.pid) return;
  const exited = new Promise((resolve) => dev.once("exit", resolve));
  for (const pid of treeOf(dev.pid)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  await exited;
}

let token = "";
async function api<T>(
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<{ status: number; data: T }> {
  const response = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: {
      "content-type": "application/json",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(key ? { "idempotency-key": key } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(15_000),
  });
  return { status: response.status, data: ((await response.json()) as { data: T }).data };
}

const typeOf = (n: number) => `Crash${Math.floor(n / EVENTS_PER_SUBSCRIPTION)}`;
const webhooks: string[] = [];
async function prepare(): Promise<void> {
  const credentials = { email: "crash@example.com", password: "crash test pass phrase" };
  await api("POST", "/auth/register", credentials);
  token = (await api<{ accessToken: string }>("POST", "/auth/login", credentials)).data.accessToken;
  for (let n = 0; n < eventCount; n += EVENTS_PER_SUBSCRIPTION) {
    const subscription = {
      name: typeOf(n),
      url: `http://127.0.0.1:${receiverPort}/`,
      events: [typeOf(n)],
      secret: "s",
    };
    webhooks.push((await api<{ _id: string }>("POST", "/webhooks", subscription)).data._id);
  }
}

const accepted = new Set<number>();
let next = 0;
/** Publishes until all are accepted; an event whose answer a kill has cut off comes again with its key. */
async function publisher(): Promise<void> {
  while (next < eventCount) {
    const n = next++;
    while (!accepted.has(n)) {
      const answer = await api("POST", "/events", { type: typeOf(n), payload: { n } }, `crash-${n}`).catch(
        () => undefined,
      );
      if (answer?.status === 202) accepted.add(n);
      else await sleep(100);
    }
  }
}

interface Attempt {
  deliveryId: string;
  payload: { n: number };
  status: "pending" | "success" | "failed";
  attemptCount: number;
  attemptedAt: string;
}

/** Of all logs: accepted events without a terminal row, and rows that have been `pending` for too long. */
async function readLogs(): Promise<{ open: number[]; stale: number; interrupted: number }> {
  const rows = (await Promise.all(webhooks.map((id) => api<Attempt[]>("GET", `/webhooks/${id}/logs`)))).flatMap(
    ({ data }) => data,
  );
  const isTerminal = ({ status, attemptCount }: Attempt) =>
    status === "success" || (status === "failed" && attemptCount >= 3);
  const terminal = new Set(rows.filter(isTerminal).map(({ payload }) => payload.n));
  const pending = rows.filter(({ status }) => status === "pending");
  const stale = pending.filter(({ attemptedAt }) => Date.now() - Date.parse(attemptedAt) > MAX_PENDING_MS).length;
  const interrupted = rows.filter(({ status }) => status === "failed").length;
  return { open: [...accepted].filter((n) => !terminal.has(n)), stale, interrupted };
}

const kills: number[] = [];
let dev = await start();
let failed = true;
try {
  await prepare();
  const killAfter = Array.from({ length: killCount }, () => Math.floor(random() * eventCount)).sort((a, b) => a - b);
  const load = Promise.all(Array.from({ length: PUBLISHERS }, publisher));
  for (const count of killAfter) {
    while (accepted.size < count) await sleep(5);
    await sleep(random() * MAX_KILL_DELAY_MS);
    await kill(dev);
    kills.push(Date.now());
    console.log(`crash: kill ${kills.length} at ${accepted.size} accepted, ${arrivals.size} delivered`);
    dev = await start();
  }
  await load;
  const end = Date.now() + SETTLE_MS;
  let logs = await readLogs();
  while (logs.open.length > 0 && Date.now() < end) {
    await sleep(1_000);
    logs = await readLogs();
  }
  const lost = [...accepted].filter((n) => !arrivals.has(n));
  const again = [...arrivals.values()].filter((times) => times.length > 1);
  const atKill = (time: number) => kills.some((killed) => time <= killed && killed - time <= IN_FLIGHT_MS);
  const unexplained = again.filter((times) => !times.slice(0, -1).every(atKill)).length;
  const inFlight = [...arrivals.values()].flat().filter(atKill).length;
  console.log(`accepted ${accepted.size}, delivered ${arrivals.size}, kills ${kills.length}, seed ${values.seed}`);
  console.log(`lost ${lost.length}: ${JSON.stringify(lost)}`);
  console.log(
    `duplicates ${again.length}, of them not in flight at a kill ${unexplained} (arrived shortly before a kill: ${inFlight})`,
  );
  console.log(
    `interrupted attempts ${logs.interrupted}, deliveries not terminal ${logs.open.length}, stale pending rows ${logs.stale}`,
  );
  failed = lost.length + unexplained + logs.open.length + logs.stale > 0 || accepted.size < eventCount;
} finally {
  await kill(dev);
  rmSync(state, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
