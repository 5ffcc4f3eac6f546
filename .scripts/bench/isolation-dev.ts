/**
 * `npm run isolation [-- --ms 100,300,800,2000 --deliveries 2000 --shape deep --tenants 1 --attempts first]`: what
 * tenants with slow receivers cost the others in `npm run dev`. Prints a table.
 */
import { parseArgs } from "node:util";
import { createDevService } from "./dev-service.ts";
import { type Burst, isolate } from "./isolation.ts";
import { startReceiver } from "./receiver.ts";
import { median } from "./statistics.ts";
import { figure, table } from "./table.ts";

const { values } = parseArgs({
  options: {
    ms: { type: "string", default: "100,300,800,2000" },
    deliveries: { type: "string", default: "2000" },
    shape: { type: "string", default: "deep" },
    tenants: { type: "string", default: "1" },
    attempts: { type: "string", default: "first" },
    /** The length of the streams, and how long to wait for the end of the burst. */
    seconds: { type: "string", default: "30" },
    most: { type: "string", default: "60" },
  },
});

const receiver = await startReceiver();
const rows = [
  [
    "answer ms",
    "alone p50, max",
    "other tenant p50, max",
    "same tenant p50, max",
    "backlog",
    "a second",
    "processor ms each",
  ],
];
const both = (latenciesMs: number[]) => `${figure(median(latenciesMs))}, ${figure(Math.max(...latenciesMs))}`;
for (const answerMs of values.ms.split(",").map(Number)) {
  const dev = await createDevService();
  try {
    await dev.start();
    const burst: Burst = {
      answerMs,
      deliveries: Number(values.deliveries),
      tenants: Number(values.tenants),
      shape: values.shape === "wide" ? "wide" : "deep",
      attempts: values.attempts === "retries" ? "retries" : "first",
    };
    const limits = { seconds: Number(values.seconds), mostSeconds: Number(values.most) };
    const usedBefore = dev.processorSeconds();
    const result = await isolate(dev.base, receiver, burst, limits);
    const backlog =
      result.backlogSeconds === null
        ? `${result.arrived} in ${result.seconds.toFixed(0)} s`
        : `${result.backlogSeconds.toFixed(1)} s`;
    rows.push([
      String(answerMs),
      both(result.aloneMs),
      both(result.otherTenantMs),
      both(result.sameTenantMs),
      backlog,
      (result.arrived / result.seconds).toFixed(0),
      (((dev.processorSeconds() - usedBefore) * 1000) / result.arrived).toFixed(1),
    ]);
    process.stderr.write(`${rows.at(-1)?.join(" | ")}\n`);
  } finally {
    await dev.remove();
  }
}
console.log(table(rows));
await receiver.stop();
process.exit(0);
