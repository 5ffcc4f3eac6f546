/**
 * One hour of one delivery database at its full rate, and the retention of the hour that has expired. The rest of the
 * log is shorter than in reality, because only what is written and deleted can make the database grow.
 */
import { seedLog, seedSubscriptions } from "./simulated-history.ts";
import type { SimulatedService } from "./simulated-service.ts";
import type { HourReport, Minute } from "./simulation/report.ts";
import * as traffic from "./simulation/traffic.ts";
import { median, percentile } from "./statistics.ts";
import { figure, table, verdict } from "./table.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MIB = 1024 ** 2;
/** Beside the expired hour. */
const KEPT_HOURS = 4;
const SHOWN_EVERY_MINUTES = 5;
const MAX_GROWTH = 1.02;
const OVERDUE_MS = 60_000;
const RATE = traffic.DELIVERIES_PER_SECOND / traffic.SHARDS;

interface Hour {
  /** Of traffic; 60 for a whole hour. */
  minutes: number;
  startMs: number;
  progress: (text: string) => void;
}

/** Simulates the hour and prints its figures. Returns whether it met its targets. */
export async function simulateFullHour(service: SimulatedService, { minutes, startMs, progress }: Hour) {
  const database = await service.database(0);
  const lengthMs = minutes * 60_000;
  progress(`seeding ${KEPT_HOURS + 2} times ${minutes} minutes at ${RATE} deliveries/s`);
  await seedSubscriptions(database, 0, startMs);
  // Retention deletes the attempts that became 30 days old in the time before, and the events of one hour earlier.
  const expiredMs = startMs - traffic.RETENTION_DAYS * DAY_MS - lengthMs;
  const perMs = RATE / 1000;
  const keptMs = KEPT_HOURS * lengthMs;
  await seedLog(database, 0, {
    startMs: expiredMs - HOUR_MS,
    lengthMs,
    deliveries: Math.round(perMs * lengthMs),
    attemptsAfterMs: lengthMs,
  });
  await seedLog(database, 0, {
    startMs: expiredMs,
    lengthMs: lengthMs + keptMs,
    deliveries: Math.round(perMs * (lengthMs + keptMs)),
  });
  const before = (await database.prepare("SELECT 1").run()).meta.size_after;
  const wallMs = Date.now();
  const all: Minute[] = [];
  const report = await service.hour(0, startMs, minutes * 60, (minute) => {
    all.push(minute);
    progress(`minute ${all.length}: ${minute.deliveries} deliveries, ${minute.open} open`);
  });
  progress(`simulated in ${Math.round((Date.now() - wallMs) / 1000)} s`);
  const owed = await database.prepare("SELECT count(*) AS owed FROM outbox").first<{ owed: number }>();
  const left = await database
    .prepare("SELECT EXISTS (SELECT 1 FROM attempts WHERE attempted_at < ?) AS isLeft")
    .bind(startMs - traffic.RETENTION_DAYS * DAY_MS)
    .first<{ isLeft: 0 | 1 }>();
  return print({ report, all, before, owed: owed?.owed ?? 0, isLeft: left?.isLeft === 1, minutes });
}

interface Figures {
  report: HourReport;
  all: readonly Minute[];
  /** The size of the database before the hour. */
  before: number;
  owed: number;
  isLeft: boolean;
  minutes: number;
}

function print({ report, all, before, owed, isLeft, minutes }: Figures): boolean {
  const { deliveries, costs, latenessMs, retentionMs, sizeBytes } = report;
  const longestMs = latenessMs.reduce((longest, ms) => Math.max(longest, ms), 0);
  const shown = all.flatMap((minute, index) => ((index + 1) % SHOWN_EVERY_MINUTES === 0 ? [{ minute, index }] : []));
  const written = Object.values(costs).reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
  const growth = sizeBytes / before;
  console.log(
    table([
      ["minute", "deliveries", "open", "MiB", "retention"],
      ["0", "0", "0", (before / MIB).toFixed(1), ""],
      ...shown.map(({ minute, index }) => [
        String(index + 1),
        String(minute.deliveries),
        String(minute.open),
        (minute.sizeBytes / MIB).toFixed(1),
        minute.isRetentionDone ? "done" : "runs",
      ]),
    ]),
  );
  console.log(
    `\n${report.events} events, ${deliveries} deliveries in ${minutes} min; late by ${figure(median(latenessMs))} ms ` +
      `(median), ${figure(percentile(latenessMs, 0.99))} ms (p99), ${figure(longestMs)} ms (longest).`,
  );
  console.log(`${figure(written / deliveries)} rows written a delivery, retention included.`);
  for (const [phase, { calls, rowsRead, rowsWritten }] of Object.entries(costs)) {
    console.log(`${phase}: ${calls} calls, ${rowsRead} rows read, ${rowsWritten} written`);
  }
  const deleted = costs.retention?.rowsWritten ?? 0;
  console.log(
    `Retention wrote ${deleted} rows in ${figure(retentionMs / 1000)} s: ${figure((deleted * 1000) / retentionMs)} a ` +
      `second. The database has ${growth.toFixed(4)} times its size before.`,
  );
  const checks: [string, boolean][] = [
    ["every delivery ended", owed === 0],
    [`no send was more than ${OVERDUE_MS / 1000} s late`, longestMs <= OVERDUE_MS],
    ["retention deleted all that had expired, within the time", !isLeft && retentionMs <= minutes * 60_000],
    [`the database grew by at most ${Math.round((MAX_GROWTH - 1) * 100)} %`, growth <= MAX_GROWTH],
  ];
  console.log(`\n${checks.map(([name, met]) => `${verdict(met)}: ${name}`).join("\n")}`);
  return checks.every(([, met]) => met);
}
