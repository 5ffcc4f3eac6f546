/** Assertions that clients have used, in D1, until they are over. They belong to no tenant. */
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/** Uses an assertion. Returns false if it was used before. */
export async function useAssertion({ db }: Deps, id: string): Promise<boolean> {
  const used = await query<{ id: string }>(db)`INSERT OR IGNORE INTO used_states (id) VALUES (${id}) RETURNING id`;
  return used.length === 1;
}
