/** `postern/receive` on `node:sqlite`, and on Postgres with the store of the docs. */
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { PGlite } from "@electric-sql/pglite";
import { expect, test } from "vitest";
import { type Client, pgStore } from "../../src/docs/pages/receive/postgres";
import { type SyncTx, sqliteStore } from "../../src/sdk/receive";
import { receiving } from "./receiving";

async function onSqlite() {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE TABLE effects (id TEXT CHECK (id <> 'refused'))");
  const store = sqliteStore(db);
  await store.migrate();
  const effects = async () =>
    db
      .prepare("SELECT id FROM effects ORDER BY id")
      .all()
      .map(({ id }) => String(id));
  return { db, store, effects };
}

receiving<SyncTx<DatabaseSync>>("node:sqlite", async (work) => {
  const { store, effects } = await onSqlite();
  await work({ store, effects, write: (tx, id) => tx.run("INSERT INTO effects VALUES (?)", id) });
});

test("a function for the transaction commits with the mark or not at all", async () => {
  const { store, effects } = await onSqlite();
  const mark = { receiver: "default", id: "a" };
  const failing = store.commit(mark, async (tx) => {
    tx.sync((db) => db.exec("INSERT INTO effects VALUES ('a')"));
    tx.sync(() => {
      throw new Error("no stock");
    });
  });
  await expect(failing).rejects.toThrow("no stock");
  expect([await effects(), (await store.look(mark)).handled]).toEqual([[], false]);
  await store.commit(mark, async (tx) => tx.sync((db) => db.exec("INSERT INTO effects VALUES ('b')")));
  expect([await effects(), (await store.look(mark)).handled]).toEqual([["b"], true]);
});

let databases = 0;
const postgres = new PGlite();
/** PGlite has one connection: whoever is next waits for it, as for a connection of a pool. */
let isFree: Promise<unknown> = Promise.resolve();
function connect<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const result = isFree.then(() => work(postgres as Client));
  isFree = result.catch(() => undefined);
  return result;
}

receiving<Client>("Postgres", async (work) => {
  await connect(async () => {
    const schema = `r${++databases}`;
    await postgres.exec(`CREATE SCHEMA ${schema}; SET search_path TO ${schema};
      CREATE TABLE effects (id text CHECK (id <> 'refused'))`);
  });
  const store = pgStore(connect);
  await store.migrate();
  await work({
    store,
    write: async (tx, id) => void (await tx.query("INSERT INTO effects VALUES ($1)", [id])),
    effects: async () =>
      (await connect((client) => client.query("SELECT id FROM effects ORDER BY id"))).rows.map(({ id }) => String(id)),
  });
});

test("the docs show the store for Postgres unchanged", () => {
  const [page, file] = ["src/docs/pages/receive.md", "src/docs/pages/receive/postgres.ts"].map((path) =>
    readFileSync(path, "utf8"),
  );
  expect(page).toContain(file);
});
