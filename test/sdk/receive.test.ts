/** `postern/receive` on D1 and in a Durable Object, and with a delivery of the service itself. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import {
  type CollectingTx,
  d1Store,
  durableObjectStore,
  type HandleOptions,
  handle,
  sqliteStore,
} from "../../src/sdk/receive";
import { signUpVerified } from "../support/client";
import { newInbox, publish, subscribe } from "../support/receiver";
import { receive, receiving } from "./receiving";

let databases = 0;

/** D1 until its `point`-th point, counted from 0: two for each call, before and after it. */
function dyingAt(point: number) {
  let passed = 0;
  const pass = () => {
    if (passed++ >= point) throw new Error("died");
  };
  const db: Pick<D1Database, "prepare" | "batch"> = {
    prepare: (sql) => env.RECEIVER_DB.prepare(sql),
    batch: async <T>(statements: D1PreparedStatement[]) => {
      pass();
      const results = await env.RECEIVER_DB.batch<T>(statements);
      pass();
      return results;
    },
  };
  return { db, hasDied: () => passed > point };
}

/** A store and a table for effects with names of their own in the receiver's database. */
async function onD1() {
  const prefix = `r${++databases}_`;
  await env.RECEIVER_DB.exec(`CREATE TABLE ${prefix}effects (id TEXT CHECK (id <> 'refused'))`);
  const store = d1Store(env.RECEIVER_DB, { prefix });
  await store.migrate();
  const write = (tx: CollectingTx, id: string) => tx.run(`INSERT INTO ${prefix}effects VALUES (?)`, id);
  const effects = async () =>
    (await env.RECEIVER_DB.prepare(`SELECT id FROM ${prefix}effects ORDER BY id`).all<{ id: string }>()).results.map(
      ({ id }) => id,
    );
  return { store, write, effects, prefix };
}

receiving<CollectingTx>("D1", async (work) => work(await onD1()));

test("a crash before or after any call of D1 loses no effect and doubles none", async () => {
  let crashes = 0;
  for (let died = true; died; crashes++) {
    const { store, write, effects, prefix } = await onD1();
    const { db, hasDied } = dyingAt(crashes);
    await receive({ store: d1Store(db, { prefix }), write }, "a");
    died = hasDied();
    if (died) await receive({ store, write }, "a");
    expect(await effects()).toEqual(["a"]);
  }
  expect(crashes).toBe(5);
});

receiving<CollectingTx>("a Durable Object", (work) => {
  const object = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
  return runInDurableObject(object, async (_, { storage }) => {
    storage.sql.exec("CREATE TABLE effects (id TEXT CHECK (id <> 'refused'))");
    const store = durableObjectStore(storage);
    await store.migrate();
    await work({
      store,
      write: (tx, id) => tx.run("INSERT INTO effects VALUES (?)", id),
      effects: async () =>
        storage.sql
          .exec<{ id: string }>("SELECT id FROM effects ORDER BY id")
          .toArray()
          .map(({ id }) => id),
    });
  });
});

test("a function for the transaction of a Durable Object commits with the mark or not at all", async () => {
  const object = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
  await runInDurableObject(object, async (_, { storage }) => {
    storage.sql.exec("CREATE TABLE effects (id TEXT CHECK (id <> 'refused'))");
    const store = durableObjectStore(storage);
    await store.migrate();
    const mark = { receiver: "default", id: "a" };
    const failing = store.commit(mark, async (tx) => {
      tx.sync((sql) => void sql.exec("INSERT INTO effects VALUES ('a')"));
      tx.sync(() => {
        throw new Error("no stock");
      });
    });
    await expect(failing).rejects.toThrow("no stock");
    expect(storage.sql.exec("SELECT id FROM effects").toArray()).toEqual([]);
    expect((await store.look(mark)).handled).toBe(false);
    await store.commit(mark, async (tx) => tx.sync((sql) => void sql.exec("INSERT INTO effects VALUES ('b')")));
    expect(storage.sql.exec("SELECT id FROM effects").toArray()).toEqual([{ id: "b" }]);
  });
});

test("a write after the handler has ended throws, since nothing would commit it", async () => {
  const { store, write, effects } = await onD1();
  let late: () => void = () => undefined;
  const leaking = (tx: CollectingTx) => {
    late = () => write(tx, "late");
  };
  expect(await receive({ store, write: leaking }, "a")).toBe("200 handled");
  expect(late).toThrow(TypeError);
  expect(await effects()).toEqual([]);
});

test("a delivery of the service is handled once, however often it comes", async () => {
  const person = await signUpVerified();
  const inbox = newInbox("200");
  const secret = "a-signing-secret";
  await subscribe(person, inbox.url, { secret });
  await publish(person, { order: "o-1" });
  const [received] = await inbox.arrived(1);
  if (!received) throw new Error("nothing has arrived");
  const { store, write, effects } = await onD1();
  const again = async () => {
    const request = new Request("http://subscriber.example/", { ...received });
    const answer = await handle<{ order: string }, CollectingTx>(request, { secret, store }, ({ payload }, tx) =>
      write(tx, payload.order),
    );
    return answer.text();
  };
  expect([await again(), await again()]).toEqual(["handled", "duplicate"]);
  expect(await effects()).toEqual(["o-1"]);
});

test.each<[string, Record<string, unknown>]>([
  ["an unknown option", { poisonafter: 3 }],
  ["poisonAfter 0", { poisonAfter: 0 }],
  ["poisonAfter 101", { poisonAfter: 101 }],
  ["poisonAfter 1.5", { poisonAfter: 1.5 }],
  ["maxWaits -1", { maxWaits: -1 }],
  ["no store", { store: undefined }],
  ["a store without methods", { store: {} }],
  ["onLate as a word", { onLate: "skip" }],
  ["onGap as a word", { onGap: "wait" }],
  ["onError as a word", { onError: "x" }],
  ["showErrors as a word", { showErrors: "yes" }],
  ["json that cannot parse", { json: {} }],
  ["onPoison null", { onPoison: null }],
  ["an empty receiver", { receiver: "" }],
  ["a receiver of 65 characters", { receiver: "r".repeat(65) }],
])("%s is a TypeError", async (_, odd) => {
  const options = { secret: "s", store: d1Store(env.RECEIVER_DB), ...odd } as HandleOptions<CollectingTx>;
  await expect(handle({ headers: {}, body: "" }, options, () => undefined)).rejects.toThrow(TypeError);
});

test("a handler that is no function, and a store without its database, are TypeErrors", async () => {
  const options = { secret: "s", store: d1Store(env.RECEIVER_DB) };
  await expect(handle({ headers: {}, body: "" }, options, undefined as never)).rejects.toThrow(TypeError);
  expect(() => d1Store(undefined as never)).toThrow(TypeError);
  expect(() => durableObjectStore({} as never)).toThrow(TypeError);
  expect(() => sqliteStore(null as never)).toThrow(TypeError);
});

test("pruning marks of the last 0 days is a TypeError: a delivery that comes again would be handled again", async () => {
  await expect(d1Store(env.RECEIVER_DB).prune(0)).rejects.toThrow(TypeError);
});

test("a prefix that is not a name is a TypeError", () => {
  expect(() => d1Store(env.RECEIVER_DB, { prefix: "x; DROP TABLE users; --" })).toThrow(TypeError);
});
