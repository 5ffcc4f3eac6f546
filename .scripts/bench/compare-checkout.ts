/** Sign-in and reading compared with an earlier checkout of this repository, A B A B: they must not become slower. */
import { type Bundles, buildOther } from "./build.ts";
import { interleave, type Ratio, ratioOf } from "./interleave.ts";
import { type Client, createClient } from "./load.ts";
import { createOperations, type Row } from "./operations.ts";
import type { Run } from "./run.ts";
import { type Service, serve } from "./serve.ts";
import { figure, ranged, table, verdict } from "./table.ts";

const COMPARED = ["login", "refresh", "list of 10 webhooks, JWT", "list of 10 webhooks, API key", "sessions list"];
/** A smaller difference from 1 is within the noise of a run. */
const LEAST_RATIO = 0.95;

/** Prints the operations per second of both checkouts, and their ratio. */
export async function compareCheckout(run: Run, checkout: string): Promise<void> {
  const [now, before] = await Promise.all([
    start(run, run.bundles),
    start(run, await buildOther(run.bundles, checkout), checkout),
  ]);
  const cells = [["operation", "now/s", "before/s", "ratio", ""]];
  for (const name of COMPARED.filter(run.wants)) {
    const { rates, ratio } = await compareRow(run, rowOf(now.rows, name), rowOf(before.rows, name));
    run.progress(`${name}: ${ranged(ratio)} of before`);
    cells.push([
      name,
      ...rates.map(figure),
      ranged(ratio),
      `>= ${LEAST_RATIO} ${verdict(ratio.median >= LEAST_RATIO)}`,
    ]);
  }
  console.log(table(cells));
  for (const { client, service } of [now, before]) {
    client.close();
    await service.stop();
  }
}

interface Side {
  service: Service;
  client: Client;
  rows: Row[];
}

async function start(run: Run, bundles: Bundles, checkout?: string): Promise<Side> {
  const service = await serve(bundles, checkout === undefined ? {} : { checkout });
  const client = createClient(service.base, run.concurrency);
  return {
    service,
    client,
    rows: await createOperations({ full: client, held: client, receiverUrl: run.receiver.okUrl }),
  };
}

function rowOf(rows: readonly Row[], name: string): Row {
  const row = rows.find(({ operation }) => operation.name === name);
  if (!row) throw new Error(`there is no operation ${name}`);
  return row;
}

async function compareRow(run: Run, now: Row, before: Row): Promise<{ rates: number[]; ratio: Ratio }> {
  const count = run.scaled(now.count);
  for (const row of [now, before]) await row.prepare?.(count * (run.rounds + 1) + run.concurrency);
  const [ofNow, ofBefore] = await interleave(
    [now, before].map(({ operation }) => ({ operation, count })),
    run,
  );
  if (!ofNow || !ofBefore) throw new Error("nothing was measured");
  const rates = [ofNow.opsPerSecond, ofBefore.opsPerSecond];
  return { rates, ratio: ratioOf(ofNow.rounds, ofBefore.rounds) };
}
