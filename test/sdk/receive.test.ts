/** `postern/receive` on D1 and in a Durable Object, and with a delivery of the service itself. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { type CollectingTx, d1Store, durableObjectStore, type HandleOptions, handle } from "../../src/sdk/receive";
import { signUpVerified } from "../support/client";
import { newInbox, publish, subscribe } from "../support/receiver";
import { receiving } from "./receiving";

let databases = 0;

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
  return { store, write, effects };
}

receiving<CollectingTx>("D1", async (work) => work(await onD1()));

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
  ["an empty receiver", { receiver: "" }],
  ["a receiver of 65 characters", { receiver: "r".repeat(65) }],
])("%s is a TypeError", async (_, odd) => {
  const options = { secret: "s", store: d1Store(env.RECEIVER_DB), ...odd } as HandleOptions<CollectingTx>;
  await expect(handle({ headers: {}, body: "" }, options, () => undefined)).rejects.toThrow(TypeError);
});

test("a prefix that is not a name is a TypeError", () => {
  expect(() => d1Store(env.RECEIVER_DB, { prefix: "x; DROP TABLE users; --" })).toThrow(TypeError);
});
