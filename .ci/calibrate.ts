/**
 * How slow this machine is, in percent of the two quiet cores that the suite's bound is for: 100 there and never less,
 * more on a machine that is slower, busier or has one core.
 *
 * Alone, it prints how long a fixed piece of work takes now on two threads. With `--beside`, it does a part of that
 * work every few seconds until SIGTERM, and then prints how much CPU time it took beside the suite: neighbours on the
 * same processor that come in the meantime make everything take more of it, the suite too.
 */
import { setTimeout as wait } from "node:timers/promises";
import { isMainThread, Worker } from "node:worker_threads";

/** On the machine of the bound: of all the work on two threads, and of a part of it beside the suite. */
const REFERENCE = { aloneMs: 3_000, besideCpuMs: 200 };
const THREADS = 2;
/** Long enough for a processor to be as warm as the suite makes it. */
const PARTS = 12;
const EVERY_MS = 10_000;
const REPEATS = 10;
const ROWS = 10_000;
/** More than a processor's caches hold. */
const PLACES = 8 * 1024 ** 2;
const STEPS = 300_000;

/** A walk through the memory in an order that no processor foresees. */
const places = new Uint32Array(PLACES);
for (let at = 0; at < PLACES; at += 1) places[at] = (at * 1_664_525 + 1_013_904_223) % PLACES;

/** What tests do most: objects become text and back and are compared, and the memory is read here and there. */
function part(): number {
  for (let repeat = 0; repeat < REPEATS; repeat += 1) {
    const rows = Array.from({ length: ROWS }, (_, n) => ({ id: `${(n * 7_919) % ROWS}`, payload: { order: n } }));
    const read = JSON.parse(JSON.stringify(rows)) as typeof rows;
    read.sort((one, other) => one.id.localeCompare(other.id));
  }
  let place = 0;
  for (let step = 0; step < STEPS; step += 1) place = places[place] ?? 0;
  return place;
}

/** Resolves once a thread has done the work. */
function thread(): Promise<void> {
  const worker = new Worker(new URL(import.meta.url));
  return new Promise((resolve, reject) => worker.once("error", reject).once("exit", () => resolve()));
}

async function alone(): Promise<number> {
  const began = performance.now();
  await Promise.all(Array.from({ length: THREADS }, thread));
  return (performance.now() - began) / REFERENCE.aloneMs;
}

async function beside(): Promise<number> {
  const stopped = new AbortController();
  process.once("SIGTERM", () => stopped.abort());
  let [parts, cpuMs] = [0, 0];
  // The first one compiles.
  for (part(); !stopped.signal.aborted; parts += 1) {
    await wait(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    const before = process.cpuUsage();
    part();
    const { user, system } = process.cpuUsage(before);
    cpuMs += (user + system) / 1_000;
  }
  return cpuMs / parts / REFERENCE.besideCpuMs;
}

if (isMainThread) {
  const share = process.argv.includes("--beside") ? await beside() : await alone();
  console.log(Math.max(100, Math.round(100 * share)));
} else for (let done = 0; done < PARTS; done += 1) part();
