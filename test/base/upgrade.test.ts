/**
 * Upgrades: the migrations are applied while an older version still runs. Its code is not here any more, so what it
 * sent to D1 during
 * `journey` stands in support/versions, under the name of its newest migration, and is sent again. To record a version
 * before the next migration is added: `RECORD_VERSION=1 npx vitest run test/base/upgrade.test.ts --project service
 * -t record -u`
 */
import { applyD1Migrations, createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import worker from "../../src";
import { type Answer, ownAddress, PASSWORD } from "../support/client";
import { consumeBatch, type Key } from "../support/engine";
import { journey } from "../support/journey";
import { newInbox } from "../support/receiver";
import { readRecording, recordSteps, replay, writeRecording } from "../support/recording";
import { computeWholeTags } from "../support/remembered-argon2id";
import { chooseShard } from "../support/shard";

const versions = import.meta.glob("../support/versions/*.txt", { query: "?raw", import: "default", eager: true });
const HOUR_MS = 3_600_000;
const database = env.UPGRADED;
/** The tenant can be in either delivery database: it was placed at random. */
const bindings = { DB: database, SHARD_1: database };

afterEach(() => {
  vi.useRealTimers();
  computeWholeTags(false);
});

/** Rows by table, of every table that the older version has. One of `publishers` is of the whole service. */
async function countRows(tables: readonly string[]): Promise<[table: string, rows: number][]> {
  const counts = await database.batch<{ n: number }>(
    tables.map((table) =>
      database.prepare(`SELECT count(*) AS n FROM ${table} ${table === "publishers" ? "WHERE tenant_id <> ''" : ""}`),
    ),
  );
  return tables.map((table, index) => [table, counts[index]?.results[0]?.n ?? 0]);
}

async function tablesOf(): Promise<string[]> {
  const listed = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' 
      AND name NOT GLOB '_cf*' AND name NOT GLOB 'd1_*'`;
  const { results } = await database.prepare(listed).all<{ name: string }>();
  return results.map(({ name }) => name);
}

async function dropTables(): Promise<void> {
  const drops = [...(await tablesOf()), "d1_migrations"].map((table) => `DROP TABLE IF EXISTS ${table}`);
  await database.batch(drops.map((drop) => database.prepare(drop)));
}

/** Calls this version on the upgraded database. */
async function ask(method: string, path: string, token?: string, body?: object) {
  const context = createExecutionContext();
  const headers = new Headers({ "cf-connecting-ip": ownAddress, "content-type": "application/json" });
  if (token) headers.set("authorization", `Bearer ${token}`);
  const sent = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test/api/v1${path}`, sent);
  const response = await worker.fetch(request, { ...env, ...bindings }, context);
  await waitOnExecutionContext(context);
  return { status: response.status, data: (await response.json<Answer["body"]>()).data };
}

/** Lets the failing subscription work again, and delivers what is due: three events, and a manual retry of one. */
async function retried(token: string, failing: string): Promise<void> {
  const inbox = newInbox("200");
  expect((await ask("PATCH", `/webhooks/${failing}`, token, { url: inbox.url })).status).toBe(200);
  const { results: due } = await database
    .prepare(
      `SELECT queue, due_at AS dueAt, id, subscription_id AS subscriptionId, bytes FROM outbox
     WHERE subscription_id = ? AND attempts > 0 ORDER BY id`,
    )
    .bind(failing)
    .all<Key>();
  expect(due).toHaveLength(4);
  await consumeBatch([{ shard: 0, due }], "postern-deliveries", bindings);
  const arrived = await inbox.arrived(due.length);
  expect(arrived.map(({ body }) => body)).toEqual(due.map(() => '{"order":42}'));
  expect(arrived.map(({ headers }) => headers["webhook-id"]).sort()).toEqual(due.map(({ id }) => id));
}

test.each(Object.entries(versions))(
  "what %s records works while each later migration is applied, and this version goes on with all of it",
  async (_file, text) => {
    const recording = readRecording(text);
    const all = env.TEST_MIGRATIONS;
    const before = all.findIndex(({ name }) => name === recording.migration) + 1;
    expect(before).toBeGreaterThan(0);
    await dropTables();
    await applyD1Migrations(database, all.slice(0, before));
    const { steps } = recording;
    expect(await replay(database, steps, 0)).toEqual([]);
    const tables = await tablesOf();
    const once = await countRows(tables);

    let copies = 1;
    for (let count = before; count < all.length; count++) {
      // Each migration comes at a later step of the older version.
      const step = Math.floor((steps.length * (count - before)) / (all.length - before));
      expect(await replay(database, steps.slice(0, step), copies)).toEqual([]);
      await applyD1Migrations(database, all.slice(0, count + 1));
      expect(await replay(database, steps.slice(step), copies)).toEqual([]);
      copies += 1;
    }
    expect(await replay(database, steps, copies++)).toEqual([]);
    expect(await countRows(tables)).toEqual(once.map(([table, rows]) => [table, rows * copies]));

    vi.useFakeTimers({ toFake: ["Date"], now: recording.recordedAt + HOUR_MS });
    const { email, apiKey } = recording;
    computeWholeTags(true);
    const token = (await ask("POST", "/auth/login", undefined, { email, password: PASSWORD })).data.accessToken;
    const hooks: { _id: string; name: string }[] = (await ask("GET", "/webhooks", token)).data;
    expect(hooks.map(({ name }) => name)).toEqual(["failing", "paid orders"]);
    const [{ _id: failing = "" } = {}, { _id: orders = "" } = {}] = hooks;
    const log: { status: string }[] = (await ask("GET", `/webhooks/${orders}/logs`, token)).data;
    expect(log.map(({ status }) => status)).toEqual(Array(4).fill("success"));
    const published = await ask("POST", "/events", apiKey, { type: "OrderPaid", payload: { order: 43 } });
    expect([published.status, published.data.deliveries]).toEqual([202, 2]);
    const events: { type: string }[] = (await ask("GET", "/events", token)).data;
    expect(events.map(({ type }) => type)).toEqual([
      "OrderPaid",
      "WebhookTested",
      "OrderPaid",
      "OrderPaid",
      "OrderPaid",
    ]);

    await retried(token, failing);
    // Both versions run for a while: the older one goes on beside what this one has written.
    expect(await replay(database, steps, copies)).toEqual([]);
  },
);

test.runIf(env.RECORD_VERSION === "1")("record what this version sends", async () => {
  await chooseShard("");
  const steps = recordSteps(env.DB);
  const { email, apiKey } = await journey();
  const migration = env.TEST_MIGRATIONS.at(-1)?.name ?? "";
  const recording = writeRecording({ migration, recordedAt: Date.now(), email, apiKey, steps });
  await expect(recording).toMatchFileSnapshot(`./support/versions/${migration.replace(".sql", ".txt")}`);
});
