/** The Worker of the simulation with sixteen delivery databases, in one workerd. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptionsShape } from "miniflare";
import { bundle, ROOT, workerOptions } from "../bundle.ts";
import type { HourReport, Line, Minute, WorkCost } from "./simulation/report.ts";
import { temporaryFolder } from "./temporary.ts";

const CONFIG = join(ROOT, "wrangler.toml");
const ENTRY = join(ROOT, ".scripts/bench/simulation/worker.ts");

/** D1 as Miniflare gives it to this process. */
export type D1 = Awaited<ReturnType<Miniflare["getD1Database"]>>;

export interface SimulatedService {
  database(shard: number): Promise<D1>;
  /** Simulates one hour of one database, with traffic in its first `seconds`. Throws when the simulation fails. */
  hour(shard: number, startMs: number, seconds: number, onMinute?: (minute: Minute) => void): Promise<HourReport>;
  /** Measures all jobs and the sweep in database 0; see simulation/jobs.ts. */
  jobs(): Promise<WorkCost[]>;
  /** Runs the purges that are open in database 0. */
  purges(name: string): Promise<WorkCost>;
  stop(): Promise<void>;
}

/** Starts the service. `retentionDays` is its only setting. */
export async function startSimulatedService(shards: number, retentionDays: number): Promise<SimulatedService> {
  process.env.WRANGLER_LOG = "error";
  process.env.SECRET_KEYS = randomBytes(32).toString("hex");
  const { unstable_getMiniflareWorkerOptions: readConfiguration } = await import("wrangler");
  const configured: V4WorkerOptionsShape = readConfiguration(CONFIG).workerOptions;
  const folder = temporaryFolder("simulation");
  await bundle(folder, CONFIG, ENTRY);
  const state = temporaryFolder("state");
  const numbers = Array.from({ length: shards }, (_, shard) => shard);
  const settings = { SECRET_KEYS: process.env.SECRET_KEYS, RETENTION_DAYS: String(retentionDays) };
  const changed = {
    ...configured,
    bindings: { ...configured.bindings, ...settings },
    d1Databases: Object.fromEntries(numbers.map((shard) => [bindingOf(shard), `shard-${shard}`])),
    queueConsumers: {},
  };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: ({ level, message }) => {
        if (level === "error") process.stderr.write(`${message}\n`);
      },
      cf: false,
      logRequests: false,
      telemetry: { enabled: false },
      resourcePersistencePath: state,
      workers: [workerOptions("postern", changed, folder)],
    }),
  );
  await miniflare.ready;
  const database = (shard: number) => miniflare.getD1Database(bindingOf(shard), "postern");
  for (const shard of numbers) {
    const d1 = await database(shard);
    await d1.batch(migrations().map((statement) => d1.prepare(statement)));
  }
  const ask = async (path: string) =>
    (await miniflare.dispatchFetch(`http://localhost${path}`, { method: "POST" })).json();
  return {
    database,
    async hour(shard, startMs, seconds, onMinute) {
      const url = `http://localhost/?shard=${shard}&start=${startMs}&seconds=${seconds}`;
      const { body } = await miniflare.dispatchFetch(url, { method: "POST" });
      if (!body) throw new Error("the simulation did not answer");
      for await (const text of createInterface(Readable.fromWeb(body as ReadableStream))) {
        const line = JSON.parse(text) as Line;
        if ("report" in line) return line.report;
        if ("error" in line) throw new Error(line.error);
        onMinute?.(line.minute);
      }
      throw new Error("the simulation broke off");
    },
    jobs: async () => (await ask("/jobs")) as WorkCost[],
    purges: async (name) => (await ask(`/purges?name=${encodeURIComponent(name)}`)) as WorkCost,
    async stop() {
      await miniflare.dispose();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

const bindingOf = (shard: number) => (shard === 0 ? "DB" : `SHARD_${shard}`);

function migrations(): string[] {
  const folder = join(ROOT, "migrations");
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files.sort().flatMap((file) => readFileSync(join(folder, file), "utf8").split("--> statement-breakpoint"));
}
