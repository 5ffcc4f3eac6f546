/** `npm run copy`: what `wrangler d1 export` wrote comes back in a new database, whatever its rows hold. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copy } from "../../.scripts/copy/command.ts";
import { CopyOfDatabase } from "../../.scripts/copy/copy-of-database.ts";
import { loadCopy, type Query } from "../../.scripts/copy/load.ts";
import { statementsOf } from "../../.scripts/copy/statements.ts";
import { migrateRunning } from "../../.scripts/dev/migrate.ts";
import { api, beginDeployment, endDeployment } from "../support/deployment.ts";

type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

const MAX_PAYLOAD_BYTES = 256 * 1024;
/** Two bytes each in JSON and in SQL, and what a file of SQL could be split at. */
const HOSTILE = `"\\\n';--/*é😀`;

let miniflare: Miniflare;
let source: Database;
let target: Database;
let folder: string;
let file: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "postern-copies-test-"));
  file = join(folder, "copy.sql");
  const names = ["DB", "NEW"];
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "copies",
      modules: true,
      script: "export default {}",
      compatibilityDate: "2026-11-01",
      d1Databases: Object.fromEntries(names.map((name) => [name, name])),
    }),
  );
  await migrateRunning(miniflare, "copies");
  [source, target] = (await Promise.all(names.map((name) => miniflare.getD1Database(name, "copies")))) as [
    Database,
    Database,
  ];
  await seed();
  // What `wrangler d1 export --local` runs.
  const [lines] = await source.prepare("PRAGMA miniflare_d1_export(?,?,?);").bind(0, 0).raw<string[]>();
  writeFileSync(file, String(lines?.join("\n")));
});

afterAll(async () => {
  await miniflare.dispose();
  rmSync(folder, { recursive: true });
});

/** Payloads of the greatest length, as text and as bytes; and a row that the triggers would change. */
async function seed(): Promise<void> {
  const text = JSON.stringify(HOSTILE.repeat(40_000)).slice(0, MAX_PAYLOAD_BYTES / 2);
  const event = source.prepare(
    `INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at, long_bytes, long_payload)
     VALUES (?, 't', 'T', ?, 1, 9007199254740991, ?, ?)`,
  );
  await source.batch([
    event.bind("text", text, null, null),
    event.bind("long", "x".repeat(MAX_PAYLOAD_BYTES), null, null),
    event.bind("quotes", "'\"".repeat(MAX_PAYLOAD_BYTES / 2), null, null),
    event.bind("bytes", "null", MAX_PAYLOAD_BYTES, [...randomBytes(MAX_PAYLOAD_BYTES)]),
    ...Array.from({ length: 200 }, (_, index) => event.bind(`short ${index}`, HOSTILE, 3, [0, 39, index])),
    source.prepare("INSERT INTO tenants (id, name, created_at, created_by) VALUES ('t', ?, 1, 'u')").bind(HOSTILE),
    source.prepare("UPDATE tenants SET name = 'renamed'"),
  ]);
}

describe("the command", () => {
  beforeAll(beginDeployment);
  afterAll(endDeployment);

  const run = async (...args: string[]) => {
    let text = "";
    const print = (words: unknown) => {
      text += `${words}\n`;
    };
    const wrangler = async (..._: string[]) => "";
    const code = await copy(args, { wrangler, terminal: { log: print, error: print } });
    return { code, text };
  };

  test("loads into a database of the account by its name, and counts what an export wrote", async () => {
    expect(await run("load", file, "drill")).toMatchObject({
      code: 1,
      text: expect.stringContaining("d1 create drill"),
    });
    api.create("drill");
    const loaded = await run("load", file, "drill");
    expect(loaded).toMatchObject({ code: 0, text: expect.stringMatching(/ 204 {2}events\n.*drill has all rows/s) });
    expect(await run("export", "drill", file)).toMatchObject({
      code: 0,
      text: expect.stringContaining("204  events\n"),
    });
    expect(await run("load", file)).toMatchObject({ code: 1, text: expect.stringContaining("npm run copy --") });
  });
});

test("statements are found in chunks that end anywhere", async () => {
  const statements = [
    "CREATE TABLE t (a TEXT /* it's; */, b -- it's;\n);",
    "INSERT INTO t VALUES('it''s; --', \"/*\");",
    "CREATE TRIGGER u AFTER UPDATE ON t BEGIN UPDATE t SET a = CASE WHEN a THEN 'END;' END; SELECT 1; END;",
    "SELECT 1 - 2 / 3",
  ];
  const text = statements.join("\n");
  for (const size of [1, 2, 3, text.length]) {
    const chunks = (async function* () {
      for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
    })();
    const found: string[] = [];
    for await (const statement of statementsOf(chunks)) found.push(statement);
    expect(found).toEqual(statements);
  }
});

/** What D1's API does with a statement. */
const into =
  (database: Database): Query =>
  async (sql, params = []) =>
    (
      await database
        .prepare(sql)
        .bind(...params)
        .all<Record<string, unknown>>()
    ).results;

test("a copy with payloads of 256 KiB, quotes, bytes and triggers comes back as it was", async () => {
  const copied = await CopyOfDatabase.read(file);
  const tables: [string, number][] = [];
  await loadCopy(copied, into(target), (table, rows) => rows > 0 && tables.push([table, rows]));
  expect(Object.fromEntries(tables)).toMatchObject({ events: 204, tenants: 1 });
  const schema =
    "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY type, name";
  for (const query of [
    schema,
    "SELECT CAST(created_at AS TEXT) FROM events",
    ...tables.map(([table]) => `SELECT * FROM "${table}"`),
  ]) {
    const [wanted, found] = await Promise.all(
      [source, target].map(async (db) => (await into(db)(query)).map((row) => JSON.stringify(row))),
    );
    expect(found?.toSorted()).toEqual(wanted?.toSorted());
  }
  const again = loadCopy(copied, into(target), () => undefined);
  await expect(again).rejects.toThrow("Load into a new one.");
  copied.close();
});
