/** The operators of the service, in D1. */
import { jsonList, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";

/** The ids of the people in `OPERATORS` whose address is verified, except one. Spans tenants: operators have none. */
export async function readOtherOperators({ db, config }: Deps, userId: string): Promise<string[]> {
  const found = await query<{ id: string }>(db)`SELECT id FROM users
    WHERE email IN (SELECT value FROM json_each(${jsonList(config.operators)})) AND email_verified_at IS NOT NULL
      AND id <> ${userId}`;
  return found.map(({ id }) => id);
}
