/** `npm run fairness [-- --events N --rate N]`: what hanging subscribers cost the healthy ones. Fails when their p99 more than doubles. */
import { parseArgs } from "node:util";
import { build } from "./build.ts";
import { startReceiver } from "./receiver.ts";
import { serve } from "./serve.ts";
import { median, percentile } from "./statistics.ts";
import { streamEvents } from "./steady.ts";

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "350" },
    /** Events a second, ten deliveries each: well below what the engine can do, or it is its queue that is measured. */
    rate: { type: "string", default: "10" },
  },
});
const STREAM = { subscriptions: 10, events: Number(values.events), eventsPerSecond: Number(values.rate) };
const HANGING = [0, 1, 5];
const MAX_P99_RATIO = 2;

const progress = (text: string) => process.stderr.write(`fairness: ${text}\n`);

progress("bundling");
const bundles = await build();
const receiver = await startReceiver();

async function latenciesWith(hanging: number): Promise<number[]> {
  const service = await serve(bundles);
  progress(`${STREAM.events} events at ${STREAM.eventsPerSecond}/s, ${hanging} in ${STREAM.subscriptions} hang`);
  const latencies = await streamEvents(service, receiver, { ...STREAM, hanging });
  progress(`p50 ${median(latencies).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`);
  await service.stop();
  return latencies;
}

let failed = false;
let calmP99 = Number.NaN;
const rows: string[][] = [["hanging", "deliveries", "p50 ms", "p99 ms", "max ms", "p99 to none", ""]];
for (const hanging of HANGING) {
  const latencies = await latenciesWith(hanging);
  const p99 = percentile(latencies, 0.99);
  if (hanging === 0) calmP99 = p99;
  const ratio = p99 / calmP99;
  failed ||= ratio > MAX_P99_RATIO;
  rows.push([
    `${hanging} in ${STREAM.subscriptions}`,
    String(latencies.length),
    median(latencies).toFixed(1),
    p99.toFixed(1),
    Math.max(...latencies).toFixed(1),
    ratio.toFixed(2),
    hanging === 0 ? "" : ratio > MAX_P99_RATIO ? "FAILED" : "ok",
  ]);
}
for (const row of rows) console.log(row.map((cell) => cell.padStart(12)).join(""));
console.log(`At most ${MAX_P99_RATIO} times the p99 of none hanging is asked for.`);
await receiver.stop();
process.exit(failed ? 1 : 0);
