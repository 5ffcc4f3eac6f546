/** `postern/receive` on `node:sqlite`. */
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
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
