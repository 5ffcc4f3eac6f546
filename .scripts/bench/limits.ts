/**
 * How near to its floor an operation can come at all: the same calls to D1, to Durable Objects and to queues, made by a
 * Worker that does nothing else.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { floorsOf } from "./floors.ts";
import { interleave, ratioOf } from "./interleave.ts";
import { closedLoop, createClient, type Operation } from "./load.ts";
import { createOperations } from "./operations.ts";
import type { Result } from "./report.ts";
import type { Run } from "./run.ts";
import { serve } from "./serve.ts";

/** Requests per round. */
const COUNT = 200;
/** Longer than it takes to make the calls that follow the answer. */
const SETTLE_MS = 500;

/** What each operation reaches whose ratio misses its target, or nearly. */
const LIMITED = ["list of 10 webhooks, JWT", "list of 10 webhooks, API key", "publish to 10"];

/** One row for each, with its ratio to the floor of the operation. */
export async function measureLimits(run: Run): Promise<Result[]> {
  const service = await serve(run.bundles, { worker: "counted", deliver: false });
  const client = createClient(service.base, run.concurrency);
  const floors = floorsOf(service, run.concurrency);
  const results: Result[] = [];
  try {
    const rows = await createOperations({ full: client, held: client, receiverUrl: run.receiver.okUrl });
    for (const { operation, floor, prepare } of rows.filter((row) => LIMITED.includes(row.operation.name))) {
      await prepare?.(1);
      const turns = [
        { operation: floors[floor].operation, count: run.scaled(floors[floor].count) },
        { operation: await callsOf(operation), count: run.scaled(COUNT) },
      ];
      const [reference, measured] = await interleave(turns, run);
      if (!reference || !measured) throw new Error("nothing was measured");
      const ratio = ratioOf(measured.rounds, reference.rounds);
      run.progress(`${measured.operation}: ${measured.opsPerSecond.toFixed(0)}/s, ${ratio.median.toFixed(2)}`);
      results.push({ ...measured, floor: reference.operation, ratio });
    }
  } finally {
    for (const used of [client, floors.client]) used.close();
    await service.stop();
  }
  return results;
}

/** Makes a request, and returns the operation that repeats its calls. The one before it reads what an isolate keeps. */
async function callsOf(operation: Operation): Promise<Operation> {
  const { client, name } = operation;
  await closedLoop(operation, { from: 0, count: 1, concurrency: 1 });
  await sleep(SETTLE_MS);
  await client.send({ path: "/bench/keep" });
  let madeId = "";
  const read: Operation["read"] = ({ text }) => {
    const { data } = JSON.parse(text) as { data: { id?: string } };
    madeId = data.id ?? "";
  };
  await closedLoop({ ...operation, read }, { from: 1, count: 1, concurrency: 1 });
  await sleep(SETTLE_MS);
  const path = `/bench/replay?${new URLSearchParams({ id: madeId })}`;
  return { name: `limit: the calls of ${name}`, client, status: 200, call: () => ({ path }) };
}
