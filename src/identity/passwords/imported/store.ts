/** Imported hashes in D1. They belong to people, who belong to no single tenant. */
import { sql } from "drizzle-orm";
import { queryFirst } from "../../../base/db/client";
import type { Deps } from "../../../base/deps";

/** The encrypted settings with this id; null when there are none. */
export async function findHashSettings({ db }: Deps, id: string): Promise<string | null> {
  const found = await queryFirst<{ sealed: string }>(db)`SELECT sealed FROM hash_settings WHERE id = ${id}`;
  return found?.sealed ?? null;
}

/** 1 while anybody's imported hash has not seen its right password, as SQL. */
export const isImportedWaiting = sql`EXISTS (SELECT 1 FROM users w
  WHERE w.password_kind IS NOT NULL AND w.password_import > '')`;
