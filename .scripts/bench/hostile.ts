/**
 * The worst that a tenant can send to each entry point that runs what tenants write, beside something harmless of the
 * same size. A generator looks for the worst one. Fails where it takes more than 20 times as long, or more than a
 * second.
 */
import { performance } from "node:perf_hooks";
import { type Account, ask, createAccount, subscribe } from "./account.ts";
import {
  documentShape,
  filterShape,
  harmlessJson,
  harmlessSchema,
  harmlessTypesOf,
  type Random,
  randomFrom,
  type Shape,
  schemaShape,
} from "./hostile-shapes.ts";
import { type Call, type Client, createClient } from "./load.ts";
import type { Run } from "./run.ts";
import { serve } from "./serve.ts";

const MAX_RATIO = 20;
const MAX_MS = 1_000;
/** How many shapes the generator tries at each entry point. */
const SHAPES = 20;
/** The worst one and the harmless one are measured so often; the quickest time counts. */
const TURNS = 3;
const SUBSCRIPTIONS = 10;

interface Entry {
  name: string;
  shape(random: Random): Shape;
  /** Whether it needs subscriptions. */
  hasSubscriptions?: true;
  /** Something harmless of the size of a shape. */
  harmless(shape: Shape): Shape;
  /** Stores what is needed; returns the request to measure. */
  prepare(account: Account, shape: Shape, ids: readonly string[]): Promise<Call>;
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length;
const EVENT_TYPE = "hostile";
let named = 0;

const call = ({ headers }: Account, method: "POST" | "PATCH", path: string, body: unknown): Call => ({
  ...{ method, path: `/api/v1${path}`, headers, body },
});

const harmlessFilter = ({ payload }: Shape): Shape => ({
  ...{ name: "harmless", program: { "payload.x": { $exists: false } }, payload: { x: harmlessJson(sizeOf(payload)) } },
});
const harmlessTypes = ({ program, payload }: Shape): Shape => ({
  ...{ name: "harmless", program: harmlessSchema(sizeOf(program)), payload: harmlessJson(sizeOf(payload)) },
});

/** Declares a type with the schema, or with one that allows everything if it is refused. */
async function declare(account: Account, schema: unknown): Promise<string> {
  named += 1;
  const name = `type${named}`;
  const declared = await account.client.send(
    call(account, "POST", "/event-types", { name, schema, enforce: "reject" }),
  );
  if (declared.status === 201) return name;
  await ask(account.client, call(account, "POST", "/event-types", { name, schema: true, enforce: "reject" }));
  return name;
}

const ENTRIES: readonly Entry[] = [
  {
    name: "POST /webhooks/:id/filter/test",
    hasSubscriptions: true,
    shape: filterShape,
    harmless: harmlessFilter,
    prepare: async (account, { program, payload }, [id = ""]) =>
      call(account, "POST", `/webhooks/${id}/filter/test`, { type: EVENT_TYPE, payload, filter: program }),
  },
  {
    name: `POST /events with ${SUBSCRIPTIONS} filters`,
    hasSubscriptions: true,
    shape: filterShape,
    harmless: harmlessFilter,
    prepare: async (account, { program, payload }, ids) => {
      const change = { delivery: { filter: program } };
      for (const id of ids) await ask(account.client, call(account, "PATCH", `/webhooks/${id}`, change));
      return call(account, "POST", "/events", { type: EVENT_TYPE, payload });
    },
  },
  {
    name: "POST /event-types",
    shape: schemaShape,
    harmless: harmlessTypes,
    prepare: async (account, { program }) => {
      named += 1;
      return call(account, "POST", "/event-types", { name: `declared${named}`, schema: program });
    },
  },
  {
    name: "POST /event-types/:name/validate",
    shape: schemaShape,
    harmless: harmlessTypes,
    prepare: async (account, { program, payload }) =>
      call(account, "POST", `/event-types/${await declare(account, program)}/validate`, { payload }),
  },
  {
    name: "POST /events/batch with a schema",
    shape: schemaShape,
    harmless: harmlessTypes,
    prepare: async (account, { program, payload }) => {
      const event = { type: await declare(account, program), payload };
      return call(account, "POST", "/events/batch", { events: [event, event, event, event] });
    },
  },
  {
    name: "POST /event-types/import",
    shape: documentShape,
    harmless: ({ program }) => {
      return { name: "harmless", program: { eventTypes: harmlessTypesOf(sizeOf(program)) }, payload: null };
    },
    prepare: async (account, { name, program }) => {
      const document = name === "harmless" ? (program as object) : { openapi: program };
      return call(account, "POST", "/event-types/import", { ...document, dryRun: true });
    },
  },
  {
    name: "GET /event-types/export?format=typescript",
    shape: schemaShape,
    harmless: harmlessTypes,
    prepare: async (account, { program }) => {
      for (let count = 0; count < 4; count += 1) await declare(account, program);
      return { path: "/api/v1/event-types/export?format=typescript", headers: account.headers };
    },
  },
];

/** Measures each entry point, and returns a line about it. Throws if one takes too long. */
export async function measureHostile(run: Run): Promise<string[]> {
  const service = await serve(run.bundles, { deliver: false });
  const client = createClient(service.base, 4);
  const lines: string[] = [];
  const broken: string[] = [];
  for (const entry of ENTRIES) {
    const { line, isBroken } = await measureEntry(run, client, entry);
    run.progress(line);
    lines.push(line);
    if (isBroken) broken.push(line);
  }
  client.close();
  await service.stop();
  if (broken.length > 0) throw new Error(`too costly:\n${broken.join("\n")}`);
  return lines;
}

async function measureEntry(run: Run, client: Client, entry: Entry) {
  const random = randomFrom(ENTRIES.indexOf(entry) + 1);
  let worst: { shape: Shape; ms: number } | null = null;
  for (let count = run.scaled(SHAPES); count > 0; count -= 1) {
    const shape = entry.shape(random);
    const { ms } = await measure(run, client, entry, shape, 1);
    if (worst === null || ms > worst.ms) worst = { shape, ms };
  }
  if (worst === null) throw new Error("no shape was tried");
  const hostile = await measure(run, client, entry, worst.shape, TURNS);
  const harmless = await measure(run, client, entry, entry.harmless(worst.shape), TURNS);
  const ratio = hostile.ms / harmless.ms;
  const textOf = ({ ms, status }: Measured) => `${ms.toFixed(0)} ms (${status})`;
  const line =
    `${entry.name}: ${worst.shape.name} ${textOf(hostile)}, harmless ${textOf(harmless)}, ` +
    `ratio ${ratio.toFixed(1)}, /health ${hostile.healthMs.toFixed(0)} ms`;
  return { line, isBroken: ratio > MAX_RATIO || hostile.ms > MAX_MS };
}

interface Measured {
  ms: number;
  status: number;
  healthMs: number;
}

/** In a tenant of its own, so that nothing is left of other shapes. */
async function measure(run: Run, client: Client, entry: Entry, shape: Shape, turns: number): Promise<Measured> {
  const account = await createAccount(client);
  const count = entry.hasSubscriptions ? SUBSCRIPTIONS : 0;
  const ids = await subscribe(account, EVENT_TYPE, run.receiver.okUrl, count);
  const least = { ms: Infinity, healthMs: Infinity, status: 0 };
  for (let turn = 0; turn < turns; turn += 1) {
    const request = await entry.prepare(account, shape, ids);
    const beganMs = performance.now();
    const [{ status }, healthMs] = await Promise.all([client.send(request), healthAfter(client)]);
    least.status = status;
    least.ms = Math.min(least.ms, performance.now() - beganMs);
    least.healthMs = Math.min(least.healthMs, healthMs);
  }
  return least;
}

async function healthAfter(client: Client): Promise<number> {
  const beganMs = performance.now();
  await client.send({ path: "/health" });
  return performance.now() - beganMs;
}
