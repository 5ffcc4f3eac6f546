/** `npm run crash [-- --seed N --kills N --events N]`: kill -9 of all of `npm run dev` under load; no accepted event may be lost. */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createLoad, type Load, type LogRow } from "./crash-load.ts";
import { createRandom } from "./crash-random.ts";
import { startReceiver } from "./crash-receiver.ts";
import { readRows } from "./crash-rows.ts";
import { createService, type Outage, type Service } from "./crash-service.ts";
import { judge, type Verdict } from "./crash-verdict.ts";

const MAX_KILL_DELAY_MS = 300;
const POLL_MS = 5;
const SAMPLE_EVERY_MS = 5_000;
const SETTLE_MS = 300_000;
const MAX_PENDING_MS = 120_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    kills: { type: "string", default: "20" },
    events: { type: "string", default: "2000" },
  },
});
const eventCount = Number(values.events);
const random = createRandom(Number(values.seed));
const kills = Array.from({ length: Number(values.kills) }, () => ({
  afterEvents: Math.floor(random() * eventCount),
  delayMs: random() * MAX_KILL_DELAY_MS,
})).sort((a, b) => a.afterEvents - b.afterEvents);

const receiver = await startReceiver();
const service = await createService();
/** Ids of the attempts that D1 held as `pending` at some kill: only these may be sent again. */
const pendingAtKill = new Set<string>();
const stale = new Set<string>();
let verdict: Verdict;
try {
  await service.start();
  const load = await createLoad(service.base, receiver.url, eventCount);
  const stopSampling = sampleLogs(load, service.outages);
  const published = load.publishAll();
  for (const { afterEvents, delayMs } of kills) {
    while (load.accepted.size < afterEvents) await sleep(POLL_MS);
    await sleep(delayMs);
    await killAndStart(service, load);
  }
  await published;
  await settle(load);
  await stopSampling();
  await service.kill();
  verdict = judge({
    accepted: load.accepted,
    arrivals: receiver.arrivals,
    rows: readRows(service.state),
    pendingAtKill,
    stale,
  });
} finally {
  await service.remove();
  receiver.close();
}
print(verdict);
process.exit(Object.values(verdict.faults).some((list) => list.length > 0) ? 1 : 0);

async function killAndStart({ kill, start, state }: Service, { accepted }: Load): Promise<void> {
  await kill();
  const pending = readRows(state).attempts.filter(({ status }) => status === "pending");
  for (const { id } of pending) pendingAtKill.add(id);
  console.log(
    `killed: ${accepted.size} accepted, ${receiver.arrivals.size} delivered, ${pending.length} attempts pending`,
  );
  await start();
}

/** Looks at the logs through the whole run; what has been `pending` for too long while the service ran is `stale`. */
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

/** Waits until every accepted event has ended in the logs, but not for ever: the verdict names what has not. */
async function settle({ accepted, readLogs }: Load): Promise<void> {
  const end = Date.now() + SETTLE_MS;
  const hasEnded = (row: LogRow | undefined) =>
    row?.status === "success" || (row?.status === "failed" && row.attemptCount >= 3);
  while (Date.now() < end) {
    const rows = (await readLogs()) ?? [];
    const newest = new Map(rows.toReversed().map((row) => [row.payload.n, row]));
    if ([...accepted.keys()].every((n) => hasEnded(newest.get(n)))) return;
    await sleep(1_000);
  }
}

function print({ counts, faults }: Verdict): void {
  console.log(`\nseed ${values.seed}, ${kills.length} kills`);
  for (const [name, count] of Object.entries(counts)) console.log(`${name}: ${count}`);
  for (const [name, list] of Object.entries(faults)) {
    console.log(`${name}: ${list.length}`);
    for (const one of list) console.log(`  ${one}`);
  }
}
