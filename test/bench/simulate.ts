/**
 * `npm run simulate [-- --hours N]`: a day of 1,000 deliveries per second on 16 databases with a full log, with the clock turned. A
 * sample of each hour runs at the full rate through the real store functions on D1. Fails when something is overdue or a database grows.
 */
import { parseArgs } from "node:util";
import type { Cost, HourReport } from "../simulation/report.ts";
import * as traffic from "../simulation/traffic.ts";
import { seedLog, seedSubscriptions } from "./simulated-history.ts";
import { type SimulatedService, startSimulatedService } from "./simulated-service.ts";
import { median, percentile } from "./statistics.ts";
import { figure, table, verdict } from "./table.ts";

const { values } = parseArgs({
  options: { hours: { type: "string", default: "24" }, shards: { type: "string", default: String(traffic.SHARDS) } },
});
const HOURS = Number(values.hours);
const SHARDS = Number(values.shards);
const HOUR_MS = 3_600_000;
const DAY_SECONDS = 86_400;
/** How many databases are simulated at the same time. */
const AT_ONCE = 2;
const MAX_GROWTH = 1.02;
const OVERDUE_MS = 60_000;
/** D1's limit, and the share of it at which a database closes to new tenants. */
const MAX_DATABASE_BYTES = 10 * 1024 ** 3;
const FULL_SHARE = 0.85;
/** The platform's published prices in dollars per million. */
const PRICE = { rowsWritten: 1, rowsRead: 0.001, queueOperations: 0.4, requests: 0.3 };
const OPERATIONS_PER_MESSAGE = 3;
/** The Sweeper runs this often while something is owed, whatever the rate. */
const SWEEPS_PER_DAY = DAY_SECONDS / 5;

const progress = (text: string) => process.stderr.write(`simulate: ${text}\n`);
const startedMs = Date.now();
const firstHourMs = Math.floor(startedMs / HOUR_MS) * HOUR_MS;

progress("bundling");
const service = await startSimulatedService(SHARDS, traffic.RETENTION_DAYS);
let isMet = false;
try {
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
  const overdue = await countOverdue(service);
  isMet = print(reports, [...sizes.values()], overdue);
} finally {
  await service.stop();
}
console.log(`Took ${Math.round((Date.now() - startedMs) / 1000)} s.`);
process.exitCode = isMet ? 0 : 1;

/** Returns the reports of the hours, and the size of the database before the first hour and after each. */
async function simulateDay(
  simulated: SimulatedService,
  shard: number,
): Promise<{ reports: HourReport[]; sizesBytes: number[] }> {
  const database = await simulated.database(shard);
  await seedSubscriptions(database, shard, firstHourMs);
  await seedLog(
    database,
    shard,
    (traffic.DELIVERIES_PER_SECOND / traffic.SHARDS) * traffic.SECONDS_PER_HOUR * 24,
    firstHourMs,
  );
  const { meta } = await database.prepare("SELECT 1").run();
  const hours: HourReport[] = [];
  const sizesBytes = [meta.size_after];
  for (let hour = 0; hour < HOURS; hour += 1) {
    const report = await simulated.hour(shard, firstHourMs + hour * HOUR_MS);
    hours.push(report);
    sizesBytes.push(report.sizeBytes);
  }
  return { reports: hours, sizesBytes };
}

async function countOverdue(simulated: SimulatedService): Promise<number> {
  let count = 0;
  for (let shard = 0; shard < SHARDS; shard += 1) {
    const database = await simulated.database(shard);
    const owed = await database.prepare("SELECT count(*) AS owed FROM outbox").first<{ owed: number }>();
    count += owed?.owed ?? 0;
  }
  return count;
}

function print(hours: readonly HourReport[], sizesBytes: readonly number[][], owed: number): boolean {
  const total = (of: (hour: HourReport) => number) => hours.reduce((sum, hour) => sum + of(hour), 0);
  const deliveries = total((hour) => hour.deliveries);
  const events = total((hour) => hour.events);
  const messages = total((hour) => hour.messages);
  const lateness = hours.flatMap((hour) => hour.latenessMs);
  const phases = ["accept", "claim", "record", "sweep", "retention"];
  const costOf = (phase: string): Cost => ({
    calls: total((hour) => hour.costs[phase]?.calls ?? 0),
    rowsRead: total((hour) => hour.costs[phase]?.rowsRead ?? 0),
    rowsWritten: total((hour) => hour.costs[phase]?.rowsWritten ?? 0),
  });
  // The sample has far more sweeps per delivery than the day, whose sweeps have a fixed rate.
  const sweeps = total((hour) => hour.sweeps);
  const realSweeps = (SWEEPS_PER_DAY * SHARDS * HOURS) / 24 / traffic.SAMPLE;
  const weightOf = (phase: string) => (phase === "sweep" ? realSweeps / sweeps : 1);
  const perDelivery = (phase: string, of: keyof Cost) => (costOf(phase)[of] * weightOf(phase)) / deliveries;
  const sum = (of: keyof Cost) => phases.reduce((all, phase) => all + perDelivery(phase, of), 0);

  console.log(
    `\n${HOURS} hours on ${SHARDS} databases: ${figure(traffic.SECONDS_PER_HOUR)} s of each hour at ${traffic.DELIVERIES_PER_SECOND} deliveries/s on ${traffic.SHARDS} databases.`,
  );
  console.log(
    `${events} events, ${deliveries} deliveries: ${total((hour) => hour.succeeded)} succeeded, ${total((hour) => hour.exhausted)} had no attempt left, ${owed} owed at the end.\n`,
  );
  console.log(
    table([
      ["per delivery", "D1 calls", "rows read", "rows written"],
      ...phases.map((phase) => [
        phase,
        ...(["calls", "rowsRead", "rowsWritten"] as const).map((of) => figure(perDelivery(phase, of))),
      ]),
      ["all", ...(["calls", "rowsRead", "rowsWritten"] as const).map((of) => figure(sum(of)))],
    ]),
  );
  const longestMs = lateness.reduce((longest, ms) => Math.max(longest, ms), 0);
  console.log(
    `\nLateness of a send: median ${figure(median(lateness))} ms, p99 ${figure(percentile(lateness, 0.99))} ms, longest ${figure(longestMs)} ms.`,
  );

  const before = sizesBytes.reduce((bytes, [first = 0]) => bytes + first, 0);
  const after = sizesBytes.reduce((bytes, ofShard) => bytes + (ofShard.at(-1) ?? 0), 0);
  const mib = (bytes: number) => (bytes / 1024 ** 2).toFixed(1);
  const byHour = Array.from({ length: Math.floor(HOURS / 6) + 1 }, (_, step) => {
    const hour = Math.min(step * 6, HOURS);
    return `${hour} h ${mib(sizesBytes.reduce((bytes, ofShard) => bytes + (ofShard[hour] ?? 0), 0))}`;
  });
  console.log(`\nSize of the sample in MiB: ${byHour.join(", ")}.`);
  const logged =
    (traffic.DELIVERIES_PER_SECOND / traffic.SHARDS) * traffic.SECONDS_PER_HOUR * 24 * traffic.RETENTION_DAYS * SHARDS;
  const bytesPerDelivery = after / logged;
  const fullBytes = bytesPerDelivery * traffic.DELIVERIES_PER_SECOND * DAY_SECONDS;
  console.log(
    `${figure(bytesPerDelivery)} bytes per delivery of ${traffic.PAYLOAD_BYTES} bytes of payload: ${figure(fullBytes / 1024 ** 3)} GiB a day at the full rate. ` +
      `${traffic.SHARDS} databases, ${FULL_SHARE * 100} % full, keep ${figure((traffic.SHARDS * MAX_DATABASE_BYTES * FULL_SHARE) / fullBytes)} days; ` +
      `${traffic.RETENTION_DAYS} days need ${Math.ceil((fullBytes * traffic.RETENTION_DAYS) / (MAX_DATABASE_BYTES * FULL_SHARE))} databases.`,
  );

  const prices = {
    "D1 rows written": sum("rowsWritten") * PRICE.rowsWritten,
    "D1 rows read": sum("rowsRead") * PRICE.rowsRead,
    queues: (messages / deliveries) * OPERATIONS_PER_MESSAGE * PRICE.queueOperations,
    requests: (events / deliveries) * PRICE.requests,
  };
  const dollars = Object.values(prices).reduce((all, price) => all + price, 0);
  console.log(
    `\nPrice of a million deliveries: ${Object.entries(prices)
      .map(([name, price]) => `${name} $${price.toFixed(2)}`)
      .join(", ")}; together $${dollars.toFixed(2)}, without CPU time and logs.`,
  );

  const checks: [string, boolean][] = [
    ["every delivery ended", owed === 0],
    [`no send was more than ${OVERDUE_MS / 1000} s late`, longestMs <= OVERDUE_MS],
    [`the databases grew by at most ${Math.round((MAX_GROWTH - 1) * 100)} %`, after <= before * MAX_GROWTH],
  ];
  console.log(`\n${checks.map(([name, met]) => `${verdict(met)}: ${name}`).join("\n")}`);
  return checks.every(([, met]) => met);
}
