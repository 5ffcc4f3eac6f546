/** `npm run copy`: copies a database out of Cloudflare, and loads a copy into a new database. */
import { setTimeout as sleep } from "node:timers/promises";
import { Account, Unreachable } from "../deploy/account.ts";
import type { Wrangler } from "../deploy/wrangler.ts";
import { CopyOfDatabase } from "./copy-of-database.ts";
import { loadCopy, type Query } from "./load.ts";

const USAGE = `npm run copy -- export DATABASE FILE   copies a database into a file of SQL, and counts its rows
npm run copy -- load FILE DATABASE     loads such a file into a new database, and compares the two`;
const TRIES = 4;
const RETRY_MS = 2_000;

interface Surroundings {
  wrangler: Wrangler;
  terminal: Pick<Console, "log" | "error">;
}

/** Does what the arguments say. Returns the exit code, after it has said what went wrong. */
export async function copy(args: readonly string[], { wrangler, terminal }: Surroundings): Promise<number> {
  const [action, from = "", to = "", ...rest] = args;
  if ((action !== "export" && action !== "load") || to === "" || rest.length > 0) {
    terminal.error(USAGE);
    return 1;
  }
  const print = (table: string, rows: number) => terminal.log(`${String(rows).padStart(12)}  ${table}`);
  try {
    if (action === "export") await wrangler("d1", "export", from, "--remote", "--output", to);
    const file = action === "export" ? to : from;
    const read = await CopyOfDatabase.read(file);
    try {
      if (action === "load") await loadCopy(read, await queryOf(to), print);
      else for (const [table, rows] of read.counts()) print(table, rows);
    } finally {
      read.close();
    }
    terminal.log(action === "load" ? `${to} has all rows of ${file}.` : `${file} is complete: it was read back.`);
    return 0;
  } catch (error) {
    terminal.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

/** Asks a database of the account by its name. An answer that is lost is asked for again. */
async function queryOf(name: string): Promise<Query> {
  const account = await Account.open();
  const id = await account.databaseId(name);
  if (id === undefined) throw new Error(`The account has no database ${name}: \`npx wrangler d1 create ${name}\`.`);
  return async (sql, params = []) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await account.query(id, sql, params);
      } catch (error) {
        if (tries === TRIES || !(error instanceof Unreachable)) throw error;
        await sleep(RETRY_MS * tries);
      }
    }
  };
}
