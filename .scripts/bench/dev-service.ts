/**
 * `npm run dev`, with data of its own: to measure, or to kill all its processes at once and start again with the same
 * data.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processorSeconds, residentMiB } from "./process.ts";

const START_TIMEOUT_MS = 90_000;
const POLL_MS = 100;
const ANSWER_TIMEOUT_MS = 5_000;
/** Below the ports that the system gives to clients: one of them could take the port while the service is down. */
const PORTS = { from: 15_000, to: 30_000 };
/** How much of the output an error shows. */
const LAST_CHARACTERS = 3_000;

/** When the service was down, Unix ms. */
export interface Outage {
  from: number;
  to: number;
}

export interface DevService {
  base: string;
  /** The folder with its data. */
  state: string;
  outages: Outage[];
  /** Resident memory of all its processes together. */
  memoryMiB(): number;
  /** The processor time that all its processes have used. */
  processorSeconds(): number;
  /** Starts it. Returns the outage that ends with this. */
  start(): Promise<Outage>;
  /** SIGKILL; resolves when no process of it is left. */
  kill(): Promise<void>;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
}

/** Prepares a service that `start` starts. */
export async function createDevService(): Promise<DevService> {
  const port = await freePort();
  const base = `http://localhost:${port}`;
  const state = mkdtempSync(join(tmpdir(), "postern-crash-"));
  const outages: Outage[] = [];
  let dev: ChildProcess | undefined;
  let downSince = Date.now();

  const logFile = join(state, "dev.log");
  const healthy = async () => {
    const answer = await fetch(`${base}/health`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }).catch(() => null);
    return answer?.ok === true;
  };

  const start = async () => {
    const log = openSync(logFile, "a");
    const started = spawn(process.execPath, [".scripts/dev.ts", ...flags(port, state)], {
      stdio: ["ignore", log, log],
      detached: true,
    });
    closeSync(log);
    dev = started;
    const end = Date.now() + START_TIMEOUT_MS;
    while (!(await healthy())) {
      if (Date.now() > end || started.exitCode !== null) {
        throw new Error(`the service does not start:\n${readFileSync(logFile, "utf8").slice(-LAST_CHARACTERS)}`);
      }
      await sleep(POLL_MS);
    }
    const outage = { from: downSince, to: Date.now() };
    outages.push(outage);
    return outage;
  };
  const kill = async () => {
    if (!dev?.pid) return;
    const tree = treeOf(dev.pid);
    dev = undefined;
    downSince = Date.now();
    for (const pid of tree) killNow(pid);
    while (anyAlive(tree)) await sleep(POLL_MS);
  };
  const remove = async () => {
    await kill();
    rmSync(state, { recursive: true, force: true });
  };
  const memoryMiB = () => treeOf(dev?.pid ?? 0).reduce((sum, pid) => sum + (residentMiB(pid) || 0), 0);
  const usedSeconds = () => treeOf(dev?.pid ?? 0).reduce((sum, pid) => sum + processorSeconds(pid), 0);
  return { base, state, outages, memoryMiB, processorSeconds: usedSeconds, start, kill, remove };
}

function flags(port: number, state: string): string[] {
  const unlimited = { limit: 1_000_000, windowSeconds: 1 };
  const limits = JSON.stringify({ publish: unlimited, readDeliveries: unlimited });
  const vars = [`RATE_LIMITS:${limits}`, "EMAIL_VERIFICATION:optional", "WEBHOOK_EGRESS:any"];
  return [
    "--port",
    String(port),
    "--inspector-port",
    "0",
    "--persist-to",
    state,
    ...vars.flatMap((value) => ["--var", value]),
  ];
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = createServer().once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });

interface Process {
  pid: number;
  parent: number;
  isZombie: boolean;
}

function processes(): Process[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" }).trim().split("\n");
  return rows.map((row) => {
    const [pid, parent, stat = ""] = row.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), isZombie: stat.startsWith("Z") };
  });
}

/** `root` and every process under it, found by their parents, because wrangler has a process group of its own. */
function treeOf(root: number): number[] {
  const all = processes();
  const tree = [root];
  for (const pid of tree) tree.push(...all.filter(({ parent }) => parent === pid).map((child) => child.pid));
  return tree;
}

const anyAlive = (pids: number[]) => processes().some(({ pid, isZombie }) => pids.includes(pid) && !isZombie);

function killNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
