/** What is left of a person in the audit log when their account is deleted: the id, and what was done. */
import { unhurried } from "../db/unhurried";
import type { Deps } from "../deps";
import { forgetPerson } from "./retention-store";

/** Removes name, address and device of a deleted user from every database, page by page. Can be repeated. Throws when a database is down. */
export async function forgetUser(deps: Deps, userId: string): Promise<void> {
  for (const shard of deps.shards.numbers) {
    const db = deps.shards.db(shard);
    let after: string | null = "";
    while (after !== null) {
      const from: string = after;
      after = await unhurried(deps.now, () => forgetPerson(db, userId, from));
    }
  }
}
