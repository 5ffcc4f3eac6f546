/** What jobs, sweeps and purges read and write in a full database: a table of rows. */
import { eachPurge, fillDatabase } from "./full-database.ts";
import type { SimulatedService } from "./simulated-service.ts";
import type { WorkCost } from "./simulation/report.ts";
import { table } from "./table.ts";

/** A month's rows that a database reads at most for its upkeep, in dollars: $0.001 a million. */
const MOST_DOLLARS_A_MONTH = 10;

/** Returns whether the upkeep of a month costs little enough. */
export async function measureWork(
  service: SimulatedService,
  tenants: number,
  progress: (text: string) => void,
): Promise<boolean> {
  const database = await service.database(0);
  const nowMs = Date.now();
  await fillDatabase(database, tenants, nowMs, progress);
  const jobs = await service.jobs();
  const purges: WorkCost[] = [];
  await eachPurge(database, tenants, nowMs, async (name) => {
    purges.push(await service.purges(name));
    progress(name);
  });
  const rows = [...jobs, ...purges].map(({ name, runsAnHour, calls, rowsRead, rowsWritten, ms }) => [
    name,
    ...[calls, rowsRead, rowsWritten, ms].map(String),
    runsAnHour === 0 ? "–" : String(Math.round(rowsRead * runsAnHour)),
  ]);
  console.log(table([["work", "calls", "rows read", "written", "ms", "rows read an hour"], ...rows]));
  const anHour = jobs
    .filter(({ name }) => !name.endsWith(", first run"))
    .reduce((sum, { rowsRead, runsAnHour }) => sum + rowsRead * runsAnHour, 0);
  const dollars = (anHour * 24 * 30 * 0.001) / 1e6;
  console.log(`Every hour, jobs and sweeps read ${Math.round(anHour)} rows: $${dollars.toFixed(2)} a month.`);
  return dollars <= MOST_DOLLARS_A_MONTH;
}
