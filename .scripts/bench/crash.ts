/**
 * `npm run crash [-- --seed N --kills N --events N --receiver quick|slow|failing --rate N]`: `kill -9` of every process
 * of `npm run dev` under load. No accepted event may be lost or stuck, and only attempts that a kill interrupted may be
 * sent again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createLoad, type Load, type LogRow } from "./crash-load.ts";
import { createRandom } from "./crash-random.ts";
import { ANSWER_MS, BEHAVIOURS, startReceiver } from "./crash-receiver.ts";
import { readRows } from "./crash-rows.ts";
import { type AtKill, judge, type Verdict } from "./crash-verdict.ts";
import { createDevService, type Outage } from "./dev-service.ts";
import { median } from "./statistics.ts";
import { verdict as metOrMissed } from "./table.ts";

const MAX_KILL_DELAY_MS = 300;
const POLL_MS = 5;
const SAMPLE_EVERY_MS = 5_000;
const SETTLE_MS = 300_000;
const MAX_PENDING_MS = 60_000;
const MAX_ATTEMPTS = 3;
/** With a receiver that answers at once. */
const MAX_DUPLICATES_PER_KILL = 3;
const MAX_RECOVERY_SECONDS = 15;
/** How many requests an invocation can have under way. */
const CONNECTIONS = 6;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    kills: { type: "string", default: "20" },
    events: { type: "string", default: "2000" },
    receiver: { type: "string", default: "quick" },
    /**
     * At most so many events a second; by default what one invocation can send. More would pile up at a slow receiver
     * without any kill.
     */
    rate: { type: "string" },
  },
});
const behaviour = BEHAVIOURS.find((name) => name === values.receiver);
if (!behaviour) throw new Error(`--receiver must be one of ${BEHAVIOURS.join(", ")}`);
const answerMs = ANSWER_MS[behaviour];
const capacityPerSecond = (CONNECTIONS * 1000) / answerMs;
const ratePerSecond = values.rate === undefined ? capacityPerSecond : Number(values.rate);
const eventCount = Number(values.events);
const random = createRandom(Number(values.seed));
const plan = Array.from({ length: Number(values.kills) }, () => ({
  afterEvents: Math.floor(random() * eventCount),
  delayMs: random() * MAX_KILL_DELAY_MS,
})).sort((a, b) => a.afterEvents - b.afterEvents);

const receiver = await startReceiver(behaviour);
const service = await createDevService();
const kills: AtKill[] = [];
const stale = new Set<string>();
let verdict: Verdict;
try {
  await service.start();
  const load = await createLoad(service.base, receiver.url, eventCount, ratePerSecond);
  const stopSampling = sampleLogs(load, service.outages);
  const published = load.publishAll();
  for (const { afterEvents, delayMs } of plan) {
    while (load.accepted.size < afterEvents) await sleep(POLL_MS);
    await sleep(delayMs);
    await killAndStart(load);
  }
  await published;
  await settle(load);
  await stopSampling();
  await service.kill();
  const { accepted } = load;
  verdict = judge({ accepted, arrivals: receiver.arrivals, rows: readRows(service.state), kills, stale, answerMs });
} finally {
  await service.remove();
  receiver.close();
}
process.exit(print(verdict) ? 0 : 1);

async function killAndStart({ accepted }: Load): Promise<void> {
  await service.kill();
  const { owed, attempts } = readRows(service.state);
  const pending = attempts.filter(({ status }) => status === "pending").map(({ id }) => id);
  const found = `${owed.length} owed, ${pending.length} attempts pending`;
  console.log(`killed: ${accepted.size} accepted, ${receiver.arrivals.size} delivered, ${found}`);
  kills.push({ outage: await service.start(), owed, pending });
}

/** Reads the logs through the whole run; an attempt that is `pending` for too long while the service runs is stale. */
function sampleLogs({ readLogs }: Load, outages: Outage[]): () => Promise<void> {
  let stopped = false;
  const downMs = (since: number) =>
    outages.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, since)), 0);
  const loop = async () => {
    while (!stopped) {
      const pending = ((await readLogs()) ?? []).filter(({ status }) => status === "pending");
      for (const { _id, webhookId, attemptedAt } of pending) {
        const since = Date.parse(attemptedAt);
        if (Date.now() - since - downMs(since) > MAX_PENDING_MS) stale.add(`attempt ${_id} webhook ${webhookId}`);
      }
      await sleep(SAMPLE_EVERY_MS);
    }
  };
  const done = loop();
  return () => {
    stopped = true;
    return done;
  };
}

/** Waits until every accepted event has ended in the logs, with a limit: the verdict names what has not. */
async function settle({ accepted, readLogs }: Load): Promise<void> {
  const end = Date.now() + SETTLE_MS;
  const hasEnded = (row: LogRow | undefined) =>
    row?.status === "success" || (row?.status === "failed" && row.attemptCount >= MAX_ATTEMPTS);
  while (Date.now() < end) {
    const rows = (await readLogs()) ?? [];
    const newest = new Map(rows.toReversed().map((row) => [row.payload.n, row]));
    if ([...accepted.keys()].every((n) => hasEnded(newest.get(n)))) return;
    await sleep(1_000);
  }
}

/** Returns whether the run has passed. */
function print({ counts, faults, duplicatesPerKill, recoverySeconds }: Verdict): boolean {
  const rate = Number.isFinite(ratePerSecond) ? `, at most ${ratePerSecond} events a second` : "";
  console.log(`\nseed ${values.seed}, ${kills.length} kills, receiver ${behaviour}${rate}`);
  for (const [name, count] of Object.entries(counts)) console.log(`${name}: ${count}`);
  for (const [name, list] of Object.entries(faults)) {
    console.log(`${name}: ${list.length}`);
    for (const one of list) console.log(`  ${one}`);
  }
  const fewDuplicates = duplicatesPerKill.every(({ count }) => count <= MAX_DUPLICATES_PER_KILL);
  const target = behaviour === "quick" ? ` (<= ${MAX_DUPLICATES_PER_KILL} ${metOrMissed(fewDuplicates)})` : "";
  const list = duplicatesPerKill.map(({ count, unanswered }) => (unanswered > 0 ? `${count} (${unanswered})` : count));
  console.log(
    `arrived again after a 200, for each kill (of these not yet answered at the kill): ${list.join(" ")}${target}`,
  );
  const agesMs = duplicatesPerKill.flatMap((duplicates) => duplicates.agesMs);
  if (agesMs.length > 0)
    console.log(`ms from the 200 to the kill: median ${median(agesMs)}, at most ${Math.max(...agesMs)}`);
  const isQuick = recoverySeconds <= MAX_RECOVERY_SECONDS;
  console.log(
    `seconds from the last restart to the last owed delivery: ${recoverySeconds.toFixed(1)} (<= ` +
      `${MAX_RECOVERY_SECONDS} ${metOrMissed(isQuick)})`,
  );
  const owedCount = kills.at(-1)?.owed.length ?? 0;
  console.log(
    `one invocation's connections need ${(owedCount / capacityPerSecond).toFixed(1)} s for these ${owedCount}`,
  );
  const hasNoFaults = Object.values(faults).every((list) => list.length === 0);
  return hasNoFaults && isQuick && (behaviour !== "quick" || fewDuplicates);
}
