/** A copy of a database, as `wrangler d1 export` writes it, read into SQLite on this machine. */
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { statementsOf } from "./statements.ts";

/** What SQLite keeps for itself, and D1 beside the tables. */
const OF_OTHERS = /^(sqlite_|_cf_)/;
/** A copy can begin a transaction of its own; the numbers of `AUTOINCREMENT` follow from the rows. */
const SKIPPED = /^(PRAGMA|BEGIN|COMMIT)\b|^(INSERT INTO|DELETE FROM|CREATE TABLE) ["'`]?(sqlite_|_cf_)/i;

export class CopyOfDatabase {
  readonly data: DatabaseSync;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.data = new DatabaseSync(join(folder, "copy.sqlite"));
  }

  /** Reads the file into a temporary database, which `close` removes. Throws at the first statement that fails. */
  static async read(file: string): Promise<CopyOfDatabase> {
    const copy = new CopyOfDatabase(mkdtempSync(join(tmpdir(), "postern-copy-")));
    try {
      copy.data.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN");
      for await (const statement of statementsOf(createReadStream(file, "utf8"))) {
        if (!SKIPPED.test(statement)) copy.data.exec(statement);
      }
      copy.data.exec("COMMIT");
      return copy;
    } catch (error) {
      copy.close();
      throw error;
    }
  }

  close(): void {
    this.data.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** Returns the statements that make the tables, indexes or triggers. */
  schema(type: "table" | "index" | "trigger"): string[] {
    const rows = this.data
      .prepare("SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL ORDER BY rowid")
      .all(type);
    return rows.filter(({ name }) => !OF_OTHERS.test(String(name))).map(({ sql }) => String(sql));
  }

  /** Returns the number of rows of each table. */
  counts(): Map<string, number> {
    const tables = this.data.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
    const names = tables.map(({ name }) => String(name)).filter((name) => !OF_OTHERS.test(name));
    return new Map(names.map((name) => [name, this.#count(name)]));
  }

  #count(table: string): number {
    return Number(this.data.prepare(`SELECT count(*) AS rows FROM ${quoted(table)}`).get()?.rows);
  }

  columns(table: string): string[] {
    return this.data
      .prepare(`PRAGMA table_info(${quoted(table)})`)
      .all()
      .map(({ name }) => String(name));
  }
}

/** An identifier in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
