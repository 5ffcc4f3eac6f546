/** Prints what a simulated day did and cost, and checks it. */
import type { Cost, HourReport } from "./simulation/report.ts";
import * as traffic from "./simulation/traffic.ts";
import { median, percentile } from "./statistics.ts";
import { figure, table, verdict } from "./table.ts";

const DAY_SECONDS = 86_400;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const MAX_GROWTH = 1.02;
const OVERDUE_MS = 60_000;
/** D1's limit, and the share of it at which a database closes to new tenants. */
const MAX_DATABASE_BYTES = 10 * GIB;
const FULL_SHARE = 0.85;
/** The platform's published prices in dollars per million. */
const PRICE = { rowsWritten: 1, rowsRead: 0.001, queueOperations: 0.4, requests: 0.3 };
const OPERATIONS_PER_MESSAGE = 3;
/** The Sweeper runs this often while something is owed, whatever the rate. */
const SWEEPS_PER_DAY = DAY_SECONDS / 5;
const PHASES = ["accept", "claim", "record", "sweep", "retention"];
const MEASURES = ["calls", "rowsRead", "rowsWritten"] as const;

export interface Day {
  reports: readonly HourReport[];
  /** The size of each database before the first hour and after each hour. */
  sizesBytes: readonly (readonly number[])[];
  hours: number;
  /** Deliveries that had not ended when the day was over. */
  owed: number;
}

/** Prints the figures of a day. Returns whether it met its targets. */
export function reportDay(day: Day): boolean {
  const longestMs = printDeliveries(day);
  const rows = printCosts(day);
  const growth = printSizes(day);
  printPrice(day, rows);
  const checks: [string, boolean][] = [
    ["every delivery ended", day.owed === 0],
    [`no send was more than ${OVERDUE_MS / 1000} s late`, longestMs <= OVERDUE_MS],
    [`the databases grew by at most ${Math.round((MAX_GROWTH - 1) * 100)} %`, growth <= MAX_GROWTH],
  ];
  console.log(`\n${checks.map(([name, met]) => `${verdict(met)}: ${name}`).join("\n")}`);
  return checks.every(([, met]) => met);
}

const total = ({ reports }: Day, of: (report: HourReport) => number) =>
  reports.reduce((sum, report) => sum + of(report), 0);

/** Returns how late the latest send was, in ms. */
function printDeliveries(day: Day): number {
  const { hours, sizesBytes, owed, reports } = day;
  const [events, deliveries] = [total(day, (hour) => hour.events), total(day, (hour) => hour.deliveries)];
  const [succeeded, exhausted] = [total(day, (hour) => hour.succeeded), total(day, (hour) => hour.exhausted)];
  const rate = `${traffic.DELIVERIES_PER_SECOND} deliveries/s on ${traffic.SHARDS} databases`;
  console.log(
    `\n${hours} hours of ${sizesBytes.length} databases; ${traffic.SECONDS_PER_HOUR} s of each hour at ${rate}.`,
  );
  console.log(
    `${events} events, ${deliveries} deliveries: ${succeeded} succeeded, ${exhausted} had no attempt left, ` +
      `${owed} owed at the end.`,
  );
  const lateness = reports.flatMap((hour) => hour.latenessMs);
  const longestMs = lateness.reduce((longest, ms) => Math.max(longest, ms), 0);
  const [p50, p99] = [figure(median(lateness)), figure(percentile(lateness, 0.99))];
  console.log(`A send was late by ${p50} ms (median), ${p99} ms (p99), ${figure(longestMs)} ms (longest).\n`);
  return longestMs;
}

/** Returns the rows per delivery. */
function printCosts(day: Day): Omit<Cost, "calls"> {
  const deliveries = total(day, (hour) => hour.deliveries);
  // The sample has far more sweeps per delivery than the day, whose sweeps have a fixed rate.
  const sweepsOfDay = (SWEEPS_PER_DAY * day.reports.length) / 24 / traffic.SAMPLE;
  const weightOf = (phase: string) => (phase === "sweep" ? sweepsOfDay / total(day, (hour) => hour.sweeps) : 1);
  const each = (phase: string, of: keyof Cost) =>
    (total(day, (hour) => hour.costs[phase]?.[of] ?? 0) * weightOf(phase)) / deliveries;
  const all = (of: keyof Cost) => PHASES.reduce((sum, phase) => sum + each(phase, of), 0);
  console.log(
    table([
      ["per delivery", "D1 calls", "rows read", "rows written"],
      ...PHASES.map((phase) => [phase, ...MEASURES.map((of) => figure(each(phase, of)))]),
      ["all", ...MEASURES.map((of) => figure(all(of)))],
    ]),
  );
  return { rowsRead: all("rowsRead"), rowsWritten: all("rowsWritten") };
}

/** Returns the size after the day divided by the size before it. */
function printSizes({ sizesBytes, hours }: Day): number {
  const sizeAfter = (hour: number) => sizesBytes.reduce((sum, ofDatabase) => sum + (ofDatabase[hour] ?? 0), 0);
  const steps = Array.from({ length: Math.floor(hours / 6) + 1 }, (_, step) => step * 6);
  const bySteps = steps.map((hour) => `${hour} h ${(sizeAfter(hour) / MIB).toFixed(1)}`);
  console.log(`\nSize of the sample in MiB: ${bySteps.join(", ")}.`);
  const perSecond = (traffic.DELIVERIES_PER_SECOND / traffic.SHARDS) * sizesBytes.length;
  const logged = perSecond * traffic.SECONDS_PER_HOUR * 24 * traffic.RETENTION_DAYS;
  const bytes = sizeAfter(hours) / logged;
  const dayBytes = bytes * traffic.DELIVERIES_PER_SECOND * DAY_SECONDS;
  const usableBytes = MAX_DATABASE_BYTES * FULL_SHARE;
  console.log(
    `${figure(bytes)} bytes per delivery, with payloads of ${traffic.PAYLOAD_BYTES} bytes: ` +
      `${figure(dayBytes / GIB)} GiB a day at the full rate.`,
  );
  console.log(
    `${traffic.SHARDS} databases, ${FULL_SHARE * 100} % full, keep it for ` +
      `${figure((traffic.SHARDS * usableBytes) / dayBytes)} days; ` +
      `${traffic.RETENTION_DAYS} days need ${Math.ceil((dayBytes * traffic.RETENTION_DAYS) / usableBytes)} databases.`,
  );
  return sizeAfter(hours) / sizeAfter(0);
}

function printPrice(day: Day, { rowsRead, rowsWritten }: Omit<Cost, "calls">): void {
  const deliveries = total(day, (hour) => hour.deliveries);
  const operations = (total(day, (hour) => hour.messages) / deliveries) * OPERATIONS_PER_MESSAGE;
  const prices: [string, number][] = [
    ["D1 rows written", rowsWritten * PRICE.rowsWritten],
    ["D1 rows read", rowsRead * PRICE.rowsRead],
    ["queues", operations * PRICE.queueOperations],
    ["requests", (total(day, (hour) => hour.events) / deliveries) * PRICE.requests],
  ];
  const sum = prices.reduce((all, [, price]) => all + price, 0);
  const parts = prices.map(([name, price]) => `${name} $${price.toFixed(2)}`).join(", ");
  console.log(`\nA million deliveries cost $${sum.toFixed(2)} without CPU time and logs: ${parts}.`);
}
