/** Operations and floors, taking turns. */
import { type Floors, floorsOf } from "./floors.ts";
import { interleave, ratioOf } from "./interleave.ts";
import { createClient } from "./load.ts";
import { createOperations, type Row } from "./operations.ts";
import type { Result } from "./report.ts";
import type { Run } from "./run.ts";
import type { Service } from "./serve.ts";

/** The floors by themselves. */
export async function measureFloors(run: Run, service: Service): Promise<Result[]> {
  const { client, ...floors } = floorsOf(service, run.concurrency);
  run.progress("floors");
  const turns = Object.values(floors).map(({ operation, count }) => ({ operation, count: run.scaled(count) }));
  const measured = await interleave(turns, run);
  client.close();
  return measured.map((floor) => ({ ...floor, operation: `floor: ${floor.operation}` }));
}

/** Each operation that the run wants, with its ratio to its floor. */
export async function measureOperations(run: Run, full: Service, held: Service): Promise<Result[]> {
  const clients = { full: createClient(full.base, run.concurrency), held: createClient(held.base, run.concurrency) };
  const floors = { full: floorsOf(full, run.concurrency), held: floorsOf(held, run.concurrency) };
  const rows = await createOperations({ ...clients, receiverUrl: run.receiver.okUrl });
  const results: Result[] = [];
  for (const row of rows.filter(({ operation }) => run.wants(operation.name))) {
    const result = await measureRow(run, row, row.held ? floors.held : floors.full);
    run.progress(
      `${result.operation}: ${result.opsPerSecond.toFixed(0)}/s, ${result.ratio?.median.toFixed(2)} of the floor`,
    );
    results.push(result);
  }
  for (const { client } of [floors.full, floors.held]) client.close();
  clients.full.close();
  clients.held.close();
  return results;
}

async function measureRow(run: Run, row: Row, floors: Floors): Promise<Result> {
  const count = run.scaled(row.count);
  const floor = floors[row.floor];
  await row.prepare?.(count * (run.rounds + 1) + run.concurrency);
  const turns = [
    { operation: floor.operation, count: run.scaled(floor.count) },
    { operation: row.operation, count },
  ];
  const [reference, measured] = await interleave(turns, run);
  if (!reference || !measured) throw new Error("nothing was measured");
  return {
    ...measured,
    floor: reference.operation,
    ratio: ratioOf(measured.rounds, reference.rounds),
    target: row.atLeast === undefined ? undefined : { atLeast: row.atLeast },
  };
}
