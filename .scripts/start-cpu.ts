/**
 * The CPU time that an isolate takes to start: that of a workerd which has loaded the Worker, less that of one which
 * has loaded an empty Worker.
 */
import { readdirSync, readFileSync } from "node:fs";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from "miniflare";
import { childrenOf } from "./bench/process.ts";
import { workerModules } from "./bundle.ts";

const RUNS = 7;
/** A process that waits longer than this for a core shares caches and cores, and takes more CPU time than alone. */
const MAX_WAIT_SHARE = 0.2;

const EMPTY: V4WorkerOptions = { modules: true, script: "export default { fetch: () => new Response() };" };

export interface StartCpu {
  /** The least of the runs, because other work on the machine can only add to it; NaN where there is no /proc. */
  ms: number;
  /** How many times that of an empty Worker's start it is, which is about the same on all machines. */
  ratio: number;
  /** Whether other work on the machine has disturbed all runs. */
  isDisturbed: boolean;
}

interface Times {
  cpuMs: number;
  waitMs: number;
}

/** Measures the bundle in `folder`. */
export async function startCpu(folder: string): Promise<StartCpu> {
  const worker: V4WorkerOptions = { modulesRoot: folder, modules: workerModules(folder) };
  const [empty, loaded]: [Times[], Times[]] = [[], []];
  // By turns, so that both meet the same machine.
  for (let run = 0; run < RUNS; run += 1) {
    empty.push(await timesOf(EMPTY));
    loaded.push(await timesOf(worker));
  }
  const leastMs = (runs: Times[]) => Math.min(...runs.map(({ cpuMs }) => cpuMs));
  const [emptyMs, loadedMs] = [leastMs(empty), leastMs(loaded)];
  return {
    ms: Math.round(loadedMs - emptyMs),
    ratio: (loadedMs - emptyMs) / emptyMs,
    isDisturbed: loaded.every(({ cpuMs, waitMs }) => waitMs > cpuMs * MAX_WAIT_SHARE),
  };
}

async function timesOf(worker: V4WorkerOptions): Promise<Times> {
  const before = new Set(childrenOf(process.pid));
  const log = new Log(LogLevel.NONE);
  const miniflare = new Miniflare(convertV4MiniflareOptions({ ...worker, compatibilityDate: "2026-11-01", log }));
  try {
    await miniflare.ready;
    const threads = childrenOf(process.pid)
      .filter((id) => !before.has(id))
      .flatMap(threadsOf);
    if (threads.length === 0) return { cpuMs: Number.NaN, waitMs: Number.NaN };
    return {
      cpuMs: threads.reduce((total, { cpuMs }) => total + cpuMs, 0),
      waitMs: threads.reduce((total, { waitMs }) => total + waitMs, 0),
    };
  } finally {
    await miniflare.dispose();
  }
}

/** How long each thread of a process has run, and has waited for a core. Both are in ns in proc(5). */
function threadsOf(id: number): Times[] {
  return readdirSync(`/proc/${id}/task`).map((thread) => {
    const [cpuNs, waitNs] = readFileSync(`/proc/${id}/task/${thread}/schedstat`, "utf8").split(" ").map(Number);
    return { cpuMs: (cpuNs ?? Number.NaN) / 1e6, waitMs: (waitNs ?? Number.NaN) / 1e6 };
  });
}
