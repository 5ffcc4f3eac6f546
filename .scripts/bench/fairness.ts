/**
 * `npm run fairness [-- --only TEXT --seconds N --rounds N]`: what hanging, slow, dead and busy subscribers cost the
 * healthy ones. Fails when the 99th percentile from 202 to arrival at the healthy ones is more than twice what it is
 * without the disturbance.
 */
import { parseArgs } from "node:util";
import { build } from "./build.ts";
import { SCENES } from "./fairness-scenes.ts";
import { BURSTS, besideBurst } from "./fairness-slow-receivers.ts";
import { startReceiver } from "./receiver.ts";
import { median, percentile } from "./statistics.ts";
import { figure, table, verdict } from "./table.ts";

const MAX_P99_RATIO = 2;

const { values } = parseArgs({
  options: {
    /** Only scenes with one of these in their name, as in `held|limited`. */
    only: { type: "string", default: "" },
    /** The length of one stream. */
    seconds: { type: "string", default: "6" },
    rounds: { type: "string", default: "3" },
  },
});

const isWanted = ({ name }: { name: string }) => values.only.split("|").some((part) => name.includes(part));

const startedMs = Date.now();
const progress = (text: string) =>
  process.stderr.write(`fairness ${((Date.now() - startedMs) / 1000).toFixed(0)} s: ${text}\n`);

progress("bundling");
const bundles = await build();
const receiver = await startReceiver();
const rows: string[][] = [
  ["beside", "deliveries", "p50 ms", "p99 ms", "p50 alone", "p99 alone", "p99 ratio", "rounds", ""],
];
const notes: string[] = [];
let failed = false;
for (const scene of SCENES.filter(isWanted)) {
  progress(scene.name);
  const result = await scene.run({
    bundles,
    receiver,
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    progress,
  });
  const { aloneMs, besideMs, note } = result;
  const p99 = (latenciesMs: number[]) => percentile(latenciesMs, 0.99);
  const ofRounds = besideMs.map((ofRound, round) => p99(ofRound) / p99(aloneMs[round] ?? []));
  const [beside, alone] = [besideMs.flat(), aloneMs.flat()];
  const ratio = p99(beside) / p99(alone);
  const isFair = ratio <= MAX_P99_RATIO;
  failed ||= !isFair || note?.isMet === false;
  const figures = [beside, alone].flatMap((latenciesMs) => [figure(median(latenciesMs)), figure(p99(latenciesMs))]);
  const range = `${figure(Math.min(...ofRounds))}-${figure(Math.max(...ofRounds))}`;
  rows.push([scene.name, String(beside.length), ...figures, figure(ratio), range, verdict(isFair)]);
  progress(`p50, p99 ms ${figures.join(" ")}, p99 ratio ${figure(ratio)} (${range})`);
  if (note) notes.push(`${scene.name}: ${note.text} ${verdict(note.isMet)}`);
}
const setting = { bundles, receiver, seconds: Number(values.seconds), rounds: Number(values.rounds), progress };
const burstRows = [["beside a burst", "alone p50, max ms", "other tenant", "same tenant", "sent a second", ""]];
for (const scene of BURSTS.filter(isWanted)) {
  progress(scene.name);
  const { row, isKept } = await besideBurst(setting, scene);
  failed ||= !isKept;
  burstRows.push(row);
  progress(row.slice(1).join(" | "));
}
console.log(table(rows));
console.log(table(burstRows));
console.log(`The ratio may be at most ${MAX_P99_RATIO}. It is that of all rounds together.`);
for (const note of notes) console.log(note);
await receiver.stop();
process.exit(failed ? 1 : 0);
