/**
 * Prints how long a fixed piece of work takes now on two threads, in percent of what it takes on the two quiet cores
 * that the suite's bound is for: 100 there, more on a machine that is slower, busier or has one core, and never less.
 */
import { isMainThread, Worker } from "node:worker_threads";

/** On the machine of the bound. */
const REFERENCE_MS = 1_100;
const THREADS = 2;
const REPEATS = 75;
const ROWS = 10_000;

/** What tests do most: objects become text and back, and are compared. */
function work(): void {
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const rows = Array.from({ length: ROWS }, (_, n) => ({ id: `${(n * 7_919) % ROWS}`, payload: { order: n } }));
    const read = JSON.parse(JSON.stringify(rows)) as typeof rows;
    read.sort((one, other) => one.id.localeCompare(other.id));
  }
}

/** Resolves once a thread has done the work. */
function thread(): Promise<void> {
  const worker = new Worker(new URL(import.meta.url));
  return new Promise((resolve, reject) => worker.once("error", reject).once("exit", () => resolve()));
}

if (isMainThread) {
  const began = performance.now();
  await Promise.all(Array.from({ length: THREADS }, thread));
  const percent = (100 * (performance.now() - began)) / REFERENCE_MS;
  console.log(Math.max(100, Math.round(percent)));
} else work();
