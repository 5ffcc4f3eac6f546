/**
 * The built Worker and the floor Worker in one workerd, through Miniflare's API: direct sockets, and data in a
 * temporary folder.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  Response,
  type V4WorkerOptions,
  type V4WorkerOptionsShape,
} from "miniflare";
import { ROOT, workerOptions } from "../bundle.ts";
import { fireCron } from "../cron.ts";
import { readMigrations } from "../migrations.ts";
import { type Bundles, CONFIG } from "./build.ts";
import { type Database, databaseAt, databaseWorker } from "./database.ts";
import { childrenOf, residentMiB } from "./process.ts";
import { temporaryFolder } from "./temporary.ts";

// wrangler looks for the secrets that the configuration names, and prints where it found them.
process.env.WRANGLER_LOG = "error";
process.env.SECRET_KEYS = randomBytes(32).toString("hex");
const { unstable_getMiniflareWorkerOptions: readConfiguration } = await import("wrangler");

const CRON_INTERVAL_MS = 60_000;
/** A window of one second, so that one client's own hits do not pile up in its limiter. */
const UNLIMITED = { limit: 1_000_000, windowSeconds: 1 };
const FLOOR_SCHEMA = ["CREATE TABLE floor (id TEXT PRIMARY KEY, v TEXT)", "INSERT INTO floor VALUES ('key', 'value')"];
const SHARD = { SHARD_1: "shard-1" };
/** The rules that the first release knows, because it refuses unknown names. */
const LIMITED = ["login", "register", "refresh", "publish", "forgotPassword"];
const LIMITED_SINCE = [
  "writeWebhook",
  "redeliver",
  "readDeliveries",
  "readAudit",
  "resetMail",
  "requestCode",
  "codeMail",
  "testRules",
  "writeEventTypes",
  "inbound",
  "writeSource",
  "catalog",
  "importWebhooks",
  "discover",
  "signOnMail",
  "scim",
];
const settings = (limited: readonly string[]) => ({
  SECRET_KEYS: process.env.SECRET_KEYS ?? "",
  RATE_LIMITS: JSON.stringify(Object.fromEntries(limited.map((rule) => [rule, UNLIMITED]))),
  TENANT_DELIVERIES_PER_MINUTE: "100000000",
  TENANT_PAYLOAD_MIB_PER_MINUTE: "100000",
  TENANT_STORED_MIB: "100000",
  MAX_SUBSCRIPTIONS_PER_TENANT: "1000000",
  MAX_SESSIONS_PER_USER: "1000000",
  EMAIL_VERIFICATION: "optional",
  WEBHOOK_EGRESS: "any",
});

export interface Service {
  /** Base URLs of the Worker under test and of the floor Worker. */
  base: string;
  floorBase: string;
  database: Database;
  /** The second delivery database, if there is one. */
  shard?: Database;
  /** Resident memory of workerd. */
  memoryMiB(): number;
  /** Fires a cron trigger and resolves when its jobs have ended. */
  cron(schedule: string): Promise<void>;
  stop(): Promise<void>;
}

export interface ServeOptions {
  /** Which build of the Worker. */
  worker?: "postern" | "counted";
  /** False: deliveries stay in the outbox, so that nothing else runs during the measurement. */
  deliver?: boolean;
  /** Where the inspector of the isolates listens; none without it. */
  inspectorPort?: number;
  /** Another checkout of this repository, whose Worker `bundles` has. */
  checkout?: string;
  /** Whether there is a second delivery database, `SHARD_1`. */
  hasShard?: boolean;
  /**
   * Whether the data are in memory, if possible. Each commit waits for the disk, and all of workerd, which has
   * one thread, waits with it: at 100 commits a second for 50 ms or more in one of a hundred, and up to 0.4 s.
   */
  isInMemory?: boolean;
  /** Settings besides those of every measurement. */
  variables?: Readonly<Record<string, string>>;
}

export async function serve(bundles: Bundles, options: ServeOptions = {}): Promise<Service> {
  const { worker = "postern", deliver = true, inspectorPort, checkout = ROOT, hasShard = false } = options;
  const state = temporaryFolder("state", options.isInMemory);
  const [port = 0, floorPort = 0, databasePort = 0] = await freePorts(3);
  const service = posternOptions(checkout, bundles[worker], port, deliver);
  service.bindings = { ...service.bindings, ...options.variables };
  if (hasShard) service.d1Databases = { ...service.d1Databases, ...SHARD };
  const before = new Set(childrenOf(process.pid));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: ({ level, message }) => {
        if (level === "error") process.stderr.write(`${message}\n`);
      },
      ...(inspectorPort === undefined ? {} : { inspectorPort }),
      cf: false,
      logRequests: false,
      telemetry: { enabled: false },
      unsafeTriggerHandlers: true,
      resourcePersistencePath: state,
      workers: [
        service,
        optionsOf("floor", CONFIG.floor, bundles.floor, floorPort),
        databaseWorker(databasePort, service.d1Databases ?? {}),
      ],
    }),
  );
  await miniflare.ready;
  // workerd is the only child that Miniflare starts.
  const pid = childrenOf(process.pid).find((child) => !before.has(child)) ?? 0;
  const database = databaseAt(`http://127.0.0.1:${databasePort}`);
  await database.batch(migrations(checkout).map((statement) => database.prepare(statement)));
  const shard = hasShard ? databaseAt(`http://127.0.0.1:${databasePort}`, "SHARD_1") : undefined;
  if (shard) await shard.batch(migrations(checkout).map((statement) => shard.prepare(statement)));
  const floor = await miniflare.getD1Database("DB", "floor");
  await floor.batch(FLOOR_SCHEMA.map((statement) => floor.prepare(statement)));
  const sweep = () => fireCron(miniflare, "* * * * *");
  if (deliver) await sweep();
  const cron = deliver ? setInterval(() => void sweep(), CRON_INTERVAL_MS).unref() : null;
  return {
    base: `http://127.0.0.1:${port}`,
    floorBase: `http://127.0.0.1:${floorPort}`,
    database,
    ...(shard ? { shard } : {}),
    memoryMiB: () => residentMiB(pid),
    cron: (schedule) => fireCron(miniflare, schedule),
    async stop() {
      if (cron) clearInterval(cron);
      await miniflare.dispose();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

function posternOptions(checkout: string, folder: string, port: number, deliver: boolean): V4WorkerOptions {
  const options = optionsOf("postern", join(checkout, "wrangler.toml"), folder, port);
  const limited = checkout === ROOT ? [...LIMITED, ...LIMITED_SINCE] : LIMITED;
  return {
    ...options,
    bindings: { ...options.bindings, ...settings(limited) },
    serviceBindings: { ...options.serviceBindings, ASSETS: ({ url }) => fileBeside(checkout, new URL(url).pathname) },
    ...(deliver ? {} : { queueConsumers: withoutDeliveries(options.queueConsumers) }),
  };
}

/** A file beside the Worker, without the simulated router of assets. */
function fileBeside(checkout: string, path: string): Response {
  const file = join(checkout, ".assets", path);
  return existsSync(file) ? new Response(readFileSync(file)) : new Response(null, { status: 404 });
}

function optionsOf(name: string, config: string, folder: string, port: number): V4WorkerOptions {
  const configured: V4WorkerOptionsShape = readConfiguration(config).workerOptions;
  return workerOptions(name, { ...configured, unsafeDirectSockets: [{ host: "127.0.0.1", port }] }, folder);
}

/** The broker drops what nobody consumes. */
const withoutDeliveries = (consumers: object = {}) =>
  Object.fromEntries(Object.entries(consumers).filter(([queue]) => !queue.includes("deliveries")));

const migrations = (checkout: string) =>
  readMigrations(join(checkout, "migrations")).flatMap(({ statements }) => statements);

/** Ports that are free at the moment. */
export async function freePorts(count: number): Promise<number[]> {
  const probes = await Promise.all(Array.from({ length: count }, listen));
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port);
  for (const probe of probes) probe.close();
  return ports;
}

const listen = () =>
  new Promise<ReturnType<typeof createServer>>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => resolve(probe));
  });
