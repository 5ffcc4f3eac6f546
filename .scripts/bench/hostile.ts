/**
 * The worst that a tenant can send to each entry point that runs what tenants write, beside something harmless of the
 * same size. A generator looks for the worst one. Fails where it takes more than 20 times as long, or more than a
 * second.
 */
import { performance } from "node:perf_hooks";
import { createAccount, subscribe } from "./account.ts";
import type { Database } from "./database.ts";
import { ENTRIES, type Entry, EVENT_TYPE, type Place } from "./hostile-entries.ts";
import { randomFrom, type Shape } from "./hostile-shapes.ts";
import { type Client, createClient } from "./load.ts";
import type { Run } from "./run.ts";
import { serve } from "./serve.ts";

const MAX_RATIO = 20;
const MAX_MS = 1_000;
/** How many shapes the generator tries at each entry point. */
const SHAPES = 20;
/** The worst one and the harmless one are measured so often; the quickest time counts. */
const TURNS = 3;
/** While the generator looks for the worst one, an entry has no more subscriptions. */
const SUBSCRIPTIONS_OF_SEARCH = 10;

/** Measures each entry point, and returns a line about it. Throws if one takes too long. */
export async function measureHostile(run: Run): Promise<string[]> {
  const service = await serve(run.bundles, { deliver: false });
  const client = createClient(service.base, 4);
  const lines: string[] = [];
  const broken: string[] = [];
  for (const entry of ENTRIES.filter(({ name }) => run.wants(`hostile ${name}`))) {
    const { line, isBroken } = await measureEntry({ run, client, database: service.database }, entry);
    run.progress(line);
    lines.push(line);
    if (isBroken) broken.push(line);
  }
  client.close();
  await service.stop();
  if (broken.length > 0) throw new Error(`too costly:\n${broken.join("\n")}`);
  return lines;
}

interface Bench {
  run: Run;
  client: Client;
  database: Database;
}

async function measureEntry(bench: Bench, entry: Entry) {
  const { run } = bench;
  const random = randomFrom(ENTRIES.indexOf(entry) + 1);
  let worst: { shape: Shape; ms: number } | null = null;
  for (let count = run.scaled(SHAPES); count > 0; count -= 1) {
    const shape = entry.shape(random);
    const { ms } = await measure(bench, entry, shape, { turns: 1, subscriptions: SUBSCRIPTIONS_OF_SEARCH });
    if (worst === null || ms > worst.ms) worst = { shape, ms };
  }
  if (worst === null) throw new Error("no shape was tried");
  const hostile = await measure(bench, entry, worst.shape, { turns: TURNS });
  const harmless = await measure(bench, entry, entry.harmless(worst.shape), { turns: TURNS });
  const ratio = hostile.ms / harmless.ms;
  const textOf = ({ ms, status }: Measured) => `${ms.toFixed(0)} ms (${status})`;
  if (hostile.refusal !== "") run.progress(`refused: ${hostile.refusal}`);
  const line =
    `${entry.name}: ${worst.shape.name} ${textOf(hostile)}, harmless ${textOf(harmless)}, ` +
    `ratio ${ratio.toFixed(1)}, /health ${hostile.healthMs.toFixed(0)} ms`;
  return { line, isBroken: ratio > MAX_RATIO || hostile.ms > MAX_MS };
}

interface Measured {
  ms: number;
  status: number;
  /** The beginning of an answer that says no. */
  refusal: string;
  healthMs: number;
}

/** In a tenant of its own, so that nothing is left of other shapes. */
async function measure(
  { run, client, database }: Bench,
  entry: Entry,
  shape: Shape,
  { turns, subscriptions = Infinity }: { turns: number; subscriptions?: number },
): Promise<Measured> {
  const account = await createAccount(client);
  const count = Math.min(entry.subscriptions ?? 0, subscriptions);
  const ids = await subscribe(account, EVENT_TYPE, run.receiver.okUrl, count);
  const place: Place = { account, ids, database, notes: new Map() };
  const least = { ms: Infinity, healthMs: Infinity, status: 0, refusal: "" };
  for (let turn = 0; turn < turns; turn += 1) {
    const request = await entry.prepare(place, shape);
    const beganMs = performance.now();
    const [{ status, text, ms }, healthMs] = await Promise.all([
      client.send(request).then((answer) => ({ ...answer, ms: performance.now() - beganMs })),
      healthAfter(client),
    ]);
    least.status = status;
    least.refusal = status < 400 ? "" : text.slice(0, 300);
    least.ms = Math.min(least.ms, ms);
    least.healthMs = Math.min(least.healthMs, healthMs);
  }
  return least;
}

async function healthAfter(client: Client): Promise<number> {
  const beganMs = performance.now();
  await client.send({ path: "/health" });
  return performance.now() - beganMs;
}
