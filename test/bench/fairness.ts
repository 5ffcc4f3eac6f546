/**
 * `npm run fairness [-- --only TEXT --seconds N --rounds N]`: what hanging, slow, dead and busy subscribers cost the healthy ones. Fails
 * when the healthy ones' 99th percentile from 202 to arrival is more than twice that of the same service without the others.
 */
import { parseArgs } from "node:util";
import { build } from "./build.ts";
import { SCENES } from "./fairness-scenes.ts";
import { startReceiver } from "./receiver.ts";
import { median, percentile } from "./statistics.ts";
import { figure, table, verdict } from "./table.ts";

const MAX_P99_RATIO = 2;

const { values } = parseArgs({
  options: {
    /** Only scenes with this in their name. */
    only: { type: "string", default: "" },
    /** How long each of the two streams of a scene takes in each round. */
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "2" },
  },
});

const startedMs = Date.now();
const progress = (text: string) =>
  process.stderr.write(`fairness ${((Date.now() - startedMs) / 1000).toFixed(0)} s: ${text}\n`);

progress("bundling");
const bundles = await build();
const receiver = await startReceiver();
const rows: string[][] = [["beside", "deliveries", "p50 ms", "p99 ms", "p50 alone", "p99 alone", "p99 ratio", ""]];
const notes: string[] = [];
let failed = false;
for (const scene of SCENES.filter(({ name }) => name.includes(values.only))) {
  progress(scene.name);
  const result = await scene.run({
    bundles,
    receiver,
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    progress,
  });
  const ratio = percentile(result.besideMs, 0.99) / percentile(result.aloneMs, 0.99);
  const isFair = ratio <= MAX_P99_RATIO;
  failed ||= !isFair || result.note?.isMet === false;
  rows.push([
    scene.name,
    String(result.besideMs.length),
    ...[result.besideMs, result.aloneMs].flatMap((list) => [figure(median(list)), figure(percentile(list, 0.99))]),
    ratio.toFixed(2),
    verdict(isFair),
  ]);
  progress(`p99 ${rows.at(-1)?.[3]} ms, alone ${rows.at(-1)?.[5]} ms`);
  if (result.note) notes.push(`${scene.name}: ${result.note.text} ${verdict(result.note.isMet)}`);
}
console.log(table(rows));
console.log(`At most ${MAX_P99_RATIO} times the p99 alone is asked for.`);
for (const note of notes) console.log(note);
await receiver.stop();
process.exit(failed ? 1 : 0);
