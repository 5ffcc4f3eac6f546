/** Each entry point that runs what tenants write, with the worst and the harmless that are sent to it. */
import { createHmac } from "node:crypto";
import { type Account, ask, dataOf } from "./account.ts";
import type { Database } from "./database.ts";
import {
  bodyShape,
  documentShape,
  filterShape,
  harmlessJson,
  harmlessSchema,
  harmlessTypesOf,
  type Random,
  type Shape,
  schemaShape,
} from "./hostile-shapes.ts";
import type { Call } from "./load.ts";

export interface Entry {
  name: string;
  shape(random: Random): Shape;
  /** How many subscriptions it needs; while the generator looks, fewer. */
  subscriptions?: number;
  /** Something harmless of the size of a shape. */
  harmless(shape: Shape): Shape;
  /** Stores what is needed; returns the request to measure. Called once a turn, in one tenant. */
  prepare(place: Place, shape: Shape): Promise<Call>;
}

/** Where an entry is measured. */
export interface Place {
  account: Account;
  /** Of subscriptions to EVENT_TYPE. */
  ids: readonly string[];
  database: Database;
  /** What an earlier turn has prepared. */
  notes: Map<string, string>;
}

export const EVENT_TYPE = "hostile";
/** The most that a tenant may have with a filter. */
const MOST_FILTERS = 100;
const REPLAYED_EVENTS = 30;
const SECRET = "a signing secret of a source";

const sizeOf = (value: unknown): number => JSON.stringify(value).length;
let named = 0;
const newName = () => `type${++named}`;

/** Numbers that Node cannot write are texts that begin so. */
const rawOf = (body: unknown): string => JSON.stringify(body).replaceAll(/"number:([^"]*)"/g, "$1");

const call = ({ headers }: Account, method: "POST" | "PATCH", path: string, body: unknown): Call => ({
  ...{ method, path: `/api/v1${path}`, headers, raw: rawOf(body) },
});

const harmlessFilter = ({ payload }: Shape): Shape => ({
  ...{ name: "harmless", program: { "payload.x": { $exists: false } }, payload: { x: harmlessJson(sizeOf(payload)) } },
});
const harmlessTypes = ({ program, payload }: Shape): Shape => ({
  ...{ name: "harmless", program: harmlessSchema(sizeOf(program)), payload: harmlessJson(sizeOf(payload)) },
});
const harmlessBody = ({ payload }: Shape): Shape => ({
  ...{ name: "harmless", program: null, payload: harmlessJson(sizeOf(payload)) },
});

/** Declares a type with the schema, or with one that allows everything if it is refused. */
async function declare(account: Account, schema: unknown): Promise<string> {
  const name = newName();
  const asked = call(account, "POST", "/event-types", { name, schema, enforce: "reject" });
  if ((await account.client.send(asked)).status === 201) return name;
  await ask(account.client, call(account, "POST", "/event-types", { name, schema: true, enforce: "reject" }));
  return name;
}

/** Gives the subscriptions the filter. */
async function filterAll({ account, ids }: Place, filter: unknown): Promise<void> {
  for (const id of ids) await ask(account.client, call(account, "PATCH", `/webhooks/${id}`, { delivery: { filter } }));
}

/** Does it in the first turn only. */
async function once({ notes }: Place, name: string, work: () => Promise<string>): Promise<string> {
  const text = notes.get(name) ?? (await work());
  notes.set(name, text);
  return text;
}

const filterEntries: readonly Entry[] = [
  {
    name: "POST /webhooks/:id/filter/test",
    subscriptions: 1,
    shape: filterShape,
    harmless: harmlessFilter,
    prepare: async ({ account, ids: [id = ""] }, { program, payload }) =>
      call(account, "POST", `/webhooks/${id}/filter/test`, { type: EVENT_TYPE, payload, filter: program }),
  },
  {
    name: `POST /events with ${MOST_FILTERS} filters`,
    subscriptions: MOST_FILTERS,
    shape: filterShape,
    harmless: harmlessFilter,
    prepare: async (place, { program, payload }) => {
      await once(place, "filters", () => filterAll(place, program).then(() => "set"));
      return call(place.account, "POST", "/events", { type: EVENT_TYPE, payload });
    },
  },
  {
    name: `GET /events/:id with ${MOST_FILTERS} filters`,
    subscriptions: MOST_FILTERS,
    shape: filterShape,
    harmless: harmlessFilter,
    prepare: async (place, { program, payload }) => {
      const { account } = place;
      const id = await once(place, "event", async () => {
        await filterAll(place, program);
        const publish = call(account, "POST", "/events", { type: EVENT_TYPE, payload });
        return (await ask<{ id: string }>(account.client, publish)).id;
      });
      return { path: `/api/v1/events/${id}`, headers: account.headers };
    },
  },
  {
    name: `POST /webhooks/:id/replay, counted, over ${REPLAYED_EVENTS} events`,
    subscriptions: 1,
    shape: filterShape,
    harmless: harmlessFilter,
    prepare: async (place, { program, payload }) => {
      const { account, ids } = place;
      await once(place, "events", async () => {
        for (let count = 0; count < REPLAYED_EVENTS; count += 1) {
          await ask(account.client, call(account, "POST", "/events", { type: EVENT_TYPE, payload }));
        }
        await filterAll(place, program);
        return "published";
      });
      const since = new Date(Date.now() - 600_000).toISOString();
      return call(account, "POST", `/webhooks/${ids[0]}/replay`, { which: "all", since, dryRun: true });
    },
  },
  {
    name: "POST /webhooks/import of 100 filters",
    shape: filterShape,
    harmless: harmlessFilter,
    prepare: async ({ account }, { program }) => {
      const item = (at: number) => ({
        ...{ externalId: `e${at}`, url: "https://example.com/hooks", events: ["a"], secret: "a secret of ours" },
        delivery: { filter: program },
      });
      const subscriptions = Array.from({ length: MOST_FILTERS }, (_, at) => item(at));
      return call(account, "POST", "/webhooks/import", { dryRun: true, subscriptions });
    },
  },
];

const typeEntries: readonly Entry[] = [
  {
    name: "POST /event-types",
    shape: (random) => schemaShape(random),
    harmless: harmlessTypes,
    prepare: async ({ account }, { program }) =>
      call(account, "POST", "/event-types", { name: newName(), schema: program }),
  },
  {
    name: "POST /event-types/:name/validate",
    shape: (random) => schemaShape(random),
    harmless: harmlessTypes,
    prepare: async ({ account }, { program, payload }) =>
      call(account, "POST", `/event-types/${await declare(account, program)}/validate`, { payload }),
  },
  {
    name: "POST /events/batch with a schema",
    shape: (random) => schemaShape(random),
    harmless: harmlessTypes,
    prepare: async ({ account }, { program, payload }) => {
      const event = { type: await declare(account, program), payload };
      return call(account, "POST", "/events/batch", { events: [event, event, event, event] });
    },
  },
  {
    name: "POST /events/batch of 100 types with schemas",
    shape: (random) => ({ ...schemaShape(random, 4_500), payload: 1 }),
    harmless: (shape) => ({ ...harmlessTypes(shape), payload: [] }),
    prepare: async (place, { program, payload }) => {
      const { account } = place;
      const names = Array.from({ length: 100 }, (_, at) => `batch${at}`);
      await once(place, "types", async () => {
        const [schema, enforce] = [program, "reject"];
        const eventTypes = names.map((name) => ({ name, schema, enforce }));
        await account.client.send(call(account, "POST", "/event-types/import", { eventTypes }));
        return "imported";
      });
      return call(account, "POST", "/events/batch", { events: names.map((type) => ({ type, payload })) });
    },
  },
  {
    name: "POST /event-types/import",
    shape: documentShape,
    harmless: ({ program }) => {
      return { name: "harmless", program: { eventTypes: harmlessTypesOf(sizeOf(program)) }, payload: null };
    },
    prepare: async ({ account }, { name, program }) => {
      const document = name === "harmless" ? (program as object) : { openapi: program };
      return call(account, "POST", "/event-types/import", { ...document, dryRun: true });
    },
  },
  {
    name: "POST /event-types/import of schemas, in another order than they are stored",
    shape: (random) => schemaShape(random),
    harmless: harmlessTypes,
    prepare: async (place, { program }) => {
      const { account } = place;
      const types = Array.from({ length: 7 }, (_, at) => ({ name: `imported${at}`, schema: program }));
      await once(place, "types", async () => {
        await account.client.send(call(account, "POST", "/event-types/import", { eventTypes: types }));
        return "imported";
      });
      const eventTypes = types.map((type) => ({ ...type, schema: reversed(type.schema) }));
      return call(account, "POST", "/event-types/import", { eventTypes, dryRun: true });
    },
  },
  {
    name: "GET /event-types/export?format=typescript",
    shape: (random) => schemaShape(random),
    harmless: harmlessTypes,
    prepare: async ({ account }, { program }) => {
      for (let count = 0; count < 4; count += 1) await declare(account, program);
      return { path: "/api/v1/event-types/export?format=typescript", headers: account.headers };
    },
  },
  {
    name: "GET /catalog/:slug/types.ts, by a stranger",
    shape: (random) => schemaShape(random),
    harmless: harmlessTypes,
    prepare: async (place, { program }) => {
      const { account, database } = place;
      // Made again after each change.
      for (let count = 0; count < 4; count += 1) await declare(account, program);
      const slug = await once(place, "slug", async () => {
        await database.prepare("UPDATE users SET email_verified_at = 1").run();
        const name = newName();
        const catalog = { public: true, slug: name };
        await ask(account.client, call(account, "PATCH", "/tenant/event-types", { catalog }));
        return name;
      });
      return { path: `/catalog/${slug}/types.ts` };
    },
  },
];

/** The same value with the members of its objects in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [name, reversed(member)]);
  return Object.fromEntries(members.reverse());
}

const bodyEntries: readonly Entry[] = [
  {
    name: "POST /events without rules",
    shape: bodyShape,
    harmless: harmlessBody,
    prepare: async ({ account }, { payload }) => call(account, "POST", "/events", { type: EVENT_TYPE, payload }),
  },
  {
    name: "GET /events/:id of a payload",
    shape: bodyShape,
    harmless: harmlessBody,
    prepare: async (place, { payload }) => {
      const { account } = place;
      const id = await once(place, "event", async () => {
        const answer = await account.client.send(call(account, "POST", "/events", { type: EVENT_TYPE, payload }));
        return answer.status === 202 ? dataOf<{ id: string }>(answer).id : "none";
      });
      return { path: `/api/v1/events/${id}`, headers: account.headers };
    },
  },
  {
    name: "POST /in/:source",
    shape: bodyShape,
    harmless: harmlessBody,
    prepare: async (place, { payload }) => {
      const { account } = place;
      const id = await once(place, "source", async () => {
        const verification = { header: "X-Signature" };
        const pointer = "/0".repeat(99);
        const options = { verification, type: { fixed: EVENT_TYPE }, dedupe: { pointer }, requestsPerMinute: 6_000 };
        const source = { name: "n", provider: "hmac", secrets: [SECRET], ...options };
        return (await ask<{ id: string }>(account.client, call(account, "POST", "/sources", source))).id;
      });
      const raw = rawOf(payload);
      const signature = createHmac("sha256", SECRET).update(raw).digest("hex");
      return { method: "POST", path: `/api/v1/in/${id}`, headers: { "x-signature": signature }, raw };
    },
  },
];

export const ENTRIES: readonly Entry[] = [...filterEntries, ...typeEntries, ...bodyEntries];
