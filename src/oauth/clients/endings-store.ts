/** The grants and consents of clients that have ended, in D1, across tenants. */
import { sql } from "drizzle-orm";
import { jsonList, query } from "../../base/db/client";
import { searchPage } from "../../base/db/table-search";
import type { Deps } from "../../base/deps";

export interface Ending {
  clientId: string;
  /** Grants from until then have ended (Unix ms). */
  at: number;
  isDeleted: 0 | 1;
}

/** The oldest endings from before `before` (Unix ms). */
export const readEndings = ({ db }: Deps, before: number, limit: number): Promise<Ending[]> =>
  query<Ending>(db)`SELECT client_id AS clientId, at, is_deleted AS isDeleted FROM oauth_endings WHERE at < ${before}
    ORDER BY at LIMIT ${limit}`;

const PAGE = { examined: 1_000, changed: 500 };

/**
 * Removes a page of the grants of these clients, but for sign-ins that have given tokens since, because the person has
 * signed in again. Returns the next cursor; null at the end.
 */
export async function removeGrants({ db }: Deps, endings: readonly Ending[], cursor: string): Promise<string | null> {
  const search = {
    table: "oauth_grants",
    key: ["id"],
    columns: ["client_id", "issued_at"],
    condition: sql`EXISTS (SELECT 1 FROM json_each(${jsonList(endings)}) e WHERE e.value ->> '$.clientId' = client_id
      AND issued_at <= e.value ->> '$.at')`,
  };
  return (await searchPage(db, search, cursor, PAGE)).next;
}

/** Removes a page of what people have allowed clients that were deleted. Returns the next cursor; null at the end. */
export async function removeConsents({ db }: Deps, endings: readonly Ending[], cursor: string): Promise<string | null> {
  const deleted = endings.filter(({ isDeleted }) => isDeleted === 1).map(({ clientId }) => clientId);
  if (deleted.length === 0) return null;
  const search = {
    table: "oauth_consents",
    key: ["user_id", "client_id", "tenant_id"],
    columns: [],
    condition: sql`client_id IN (SELECT value FROM json_each(${jsonList(deleted)}))`,
  };
  return (await searchPage(db, search, cursor, PAGE)).next;
}

export async function removeEndings({ db }: Deps, endings: readonly Ending[]): Promise<void> {
  await query(db)`DELETE FROM oauth_endings WHERE (client_id, at) IN
    (SELECT value ->> '$.clientId', value ->> '$.at' FROM json_each(${jsonList(endings)}))`;
}
