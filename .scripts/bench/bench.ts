/**
 * `npm run bench [-- --only TEXT --scale N --count N --concurrency N]`: what each operation costs, as a ratio to a
 * floor that is measured alternately with it. `--compare dev [--count N]`: `npm run dev` compared with the service that
 * the other figures are measured on;
 * `--compare peer [--peer PATH]`: the peer compared with us; `--compare checkout --checkout PATH`: sign-in and reading
 * compared with an earlier version.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { measureAudit } from "./audit.ts";
import { build } from "./build.ts";
import { comparePeer } from "./compare.ts";
import { compareCheckout } from "./compare-checkout.ts";
import { compareDev } from "./compare-dev.ts";
import { countCosts } from "./counting.ts";
import { measureThroughput, memoryVerdict } from "./deliveries.ts";
import { measureDirectory } from "./directory.ts";
import { measureGrowth } from "./growth.ts";
import { measureHostile } from "./hostile.ts";
import { measureLatencies } from "./latency.ts";
import { measureLimits } from "./limits.ts";
import { measureFloors, measureOperations } from "./measure.ts";
import { measureMove } from "./move.ts";
import { measurePurge } from "./purge.ts";
import { startReceiver } from "./receiver.ts";
import { conditions, type Result, resultTable, save } from "./report.ts";
import { measureRetention } from "./retention.ts";
import { measureRules } from "./rules.ts";
import type { Run } from "./run.ts";
import { serve } from "./serve.ts";
import { measureStorage, storageTable } from "./storage.ts";
import { measureTiming } from "./timing.ts";

const { values } = parseArgs({
  options: {
    /**
     * Texts, separated by commas. Measures only what has one of them in its name: an operation, a scene such as
     * `202 to arrival` or `idle`, or `floor`, `deliveries`, `limits`, `retention`, `purge`, `growth`, `audit`,
     * `timing`, `directory`, `moves`, `rules`, `hostile` (or `hostile POST /events`), `storage`.
     */
    only: { type: "string", default: "" },
    /** A factor for the usual number of requests. */
    scale: { type: "string", default: "1" },
    /** How many deliveries are measured end to end. */
    count: { type: "string", default: "5000" },
    concurrency: { type: "string", default: "8" },
    rounds: { type: "string", default: "5" },
    compare: { type: "string" },
    peer: { type: "string", default: "../shared/peer" },
    checkout: { type: "string", default: "" },
  },
});

const startedMs = Date.now();
const seconds = () => ((Date.now() - startedMs) / 1000).toFixed(0).padStart(3);
const progress = (text: string) => process.stderr.write(`bench ${seconds()} s: ${text}\n`);
const measuredOn = conditions();

progress("bundling");
const run: Run = {
  bundles: await build(),
  receiver: await startReceiver(),
  concurrency: Number(values.concurrency),
  rounds: Number(values.rounds),
  wants: (name) => values.only.split(",").some((text) => name.includes(text)),
  scaled: (count) => Math.max(1, Math.round(count * Number(values.scale))),
  progress,
};

try {
  if (values.compare === undefined) await measureAll();
  else if (values.compare === "peer") await comparePeer(run, values.peer, measuredOn);
  else if (values.compare === "dev") await compareDev(run, Number(values.count));
  else if (values.compare === "checkout") await compareCheckout(run, resolve(values.checkout));
  else throw new Error(`nothing is known of ${values.compare}`);
} finally {
  await run.receiver.stop();
}
progress("done");
process.exit();

async function measureAll(): Promise<void> {
  const results: Result[] = [];
  const held = await serve(run.bundles, { deliver: false });
  const full = await serve(run.bundles);
  if (run.wants("floor")) results.push(...(await measureFloors(run, full)));
  results.push(...(await measureOperations(run, full, held)));
  await held.stop();
  const memoryMiB: number[] = [];
  if (run.wants("deliveries")) {
    const throughput = await measureThroughput(run, full, Number(values.count));
    results.push(throughput.result);
    memoryMiB.push(...throughput.memoryMiB);
  }
  await full.stop();
  if (run.wants("limits")) results.push(...(await measureLimits(run)));
  results.push(...(await measureLatencies(run)));
  if (run.wants("retention")) results.push(...(await measureRetention(run)));
  if (run.wants("purge")) results.push(...(await measurePurge(run)));
  if (run.wants("growth")) results.push(...(await measureGrowth(run)));
  if (run.wants("audit")) results.push(...(await measureAudit(run)));
  if (run.wants("timing")) await measureTiming(run);
  const directory = run.wants("directory") ? await measureDirectory(run) : { results: [], lines: [] };
  results.push(...directory.results);
  const lines = [
    ...directory.lines,
    ...(run.wants("moves") ? await measureMove(run) : []),
    ...(run.wants("rules") ? await measureRules(run) : []),
    ...(values.only === "" || values.only.includes("hostile") ? await measureHostile(run) : []),
  ];
  progress("counting D1 round trips and rows");
  const costs = await countCosts(run);
  for (const result of results) result.cost ??= costs.get(result.operation);
  console.log(resultTable(results));
  if (memoryMiB.length > 0) console.log(memoryVerdict(memoryMiB));
  for (const line of lines) console.log(line);
  const storage = run.wants("storage") ? measureStorage() : [];
  if (storage.length > 0) console.log(storageTable(storage));
  progress(`the figures are in ${save("bench.json", { ...measuredOn, results, memoryMiB, storage })}`);
}
