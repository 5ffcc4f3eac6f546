/**
 * `npm run simulate [-- --hours N --shards N]`: a day of 1,000 deliveries per second on 16 databases with a full log,
 * on a simulated clock. Some seconds of each hour run at the full rate through the real store functions on D1.
 * `--full [--minutes N]`: instead, a whole hour of one of these databases, with retention beside it. Fails when a
 * delivery is overdue or a database grows.
 * `--jobs [--tenants N]`: instead, what each job, sweep and purge reads in a database of 200,000 tenants (or of N, a
 * multiple of 400 from 800 on) and ten times as many events.
 */
import { parseArgs } from "node:util";
import { simulateFullHour } from "./simulated-full-hour.ts";
import { seedLog, seedSubscriptions } from "./simulated-history.ts";
import { measureWork } from "./simulated-jobs.ts";
import { reportDay } from "./simulated-report.ts";
import { type SimulatedService, startSimulatedService } from "./simulated-service.ts";
import type { HourReport } from "./simulation/report.ts";
import * as traffic from "./simulation/traffic.ts";

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "24" },
    shards: { type: "string", default: String(traffic.SHARDS) },
    full: { type: "boolean", default: false },
    minutes: { type: "string", default: "60" },
    jobs: { type: "boolean", default: false },
    tenants: { type: "string", default: "200000" },
  },
});
const HOURS = Number(values.hours);
const SHARDS = values.full || values.jobs ? 1 : Number(values.shards);
const HOUR_MS = 3_600_000;
const RETENTION_DAYS_OF_JOBS = 30;
/** How many databases are simulated at the same time. */
const AT_ONCE = 2;

const progress = (text: string) => process.stderr.write(`simulate: ${text}\n`);
const startedMs = Date.now();
const firstHourMs = Math.floor(startedMs / HOUR_MS) * HOUR_MS;

progress("bundling");
const service = await startSimulatedService(SHARDS, values.jobs ? RETENTION_DAYS_OF_JOBS : traffic.RETENTION_DAYS);
let isMet = false;
try {
  isMet = await simulate();
} finally {
  await service.stop();
}
console.log(`Took ${Math.round((Date.now() - startedMs) / 1000)} s.`);
process.exitCode = isMet ? 0 : 1;

async function simulate(): Promise<boolean> {
  if (values.jobs) return measureWork(service, Number(values.tenants), progress);
  if (!values.full) return simulateDays();
  return simulateFullHour(service, { minutes: Number(values.minutes), startMs: firstHourMs, progress });
}

async function simulateDays(): Promise<boolean> {
  const sizes = new Map<number, number[]>();
  const reports: HourReport[] = [];
  const queue = Array.from({ length: SHARDS }, (_, shard) => shard);
  const worker = async () => {
    for (let shard = queue.shift(); shard !== undefined; shard = queue.shift()) {
      const day = await simulateDay(service, shard);
      reports.push(...day.reports);
      sizes.set(shard, day.sizesBytes);
      progress(`database ${shard}: ${day.reports.length} hours`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return reportDay({ reports, sizesBytes: [...sizes.values()], hours: HOURS, owed: await countOwed(service) });
}

/** Returns the reports of the hours, and the size of the database before the first hour and after each. */
async function simulateDay(
  simulated: SimulatedService,
  shard: number,
): Promise<{ reports: HourReport[]; sizesBytes: number[] }> {
  const database = await simulated.database(shard);
  await seedSubscriptions(database, shard, firstHourMs);
  // One hour more than the retention, which the first hour deletes.
  const lengthMs = traffic.RETENTION_DAYS * 24 * HOUR_MS + HOUR_MS;
  const perMs = (traffic.DELIVERIES_PER_SECOND / traffic.SHARDS) * (traffic.SECONDS_PER_HOUR / HOUR_MS);
  await seedLog(database, shard, {
    startMs: firstHourMs - lengthMs,
    lengthMs,
    deliveries: Math.round(perMs * lengthMs),
  });
  const { meta } = await database.prepare("SELECT 1").run();
  const hours: HourReport[] = [];
  const sizesBytes = [meta.size_after];
  for (let hour = 0; hour < HOURS; hour += 1) {
    const report = await simulated.hour(shard, firstHourMs + hour * HOUR_MS, traffic.SECONDS_PER_HOUR);
    hours.push(report);
    sizesBytes.push(report.sizeBytes);
  }
  return { reports: hours, sizesBytes };
}

async function countOwed(simulated: SimulatedService): Promise<number> {
  let count = 0;
  for (let shard = 0; shard < SHARDS; shard += 1) {
    const database = await simulated.database(shard);
    const owed = await database.prepare("SELECT count(*) AS owed FROM outbox").first<{ owed: number }>();
    count += owed?.owed ?? 0;
  }
  return count;
}
