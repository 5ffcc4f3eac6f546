/** The daily look at every connection in D1, across tenants. */
import { jsonList, query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { StoredProvider } from "../../base/schemas/connection-settings";
import { KEPT_MS } from "../traces/store";

export interface Renewable {
  id: string;
  document: StoredProvider | null;
}

/** Up to `limit` connections after the one with the id `cursor`. */
export async function readPage({ db }: Deps, cursor: string, limit: number): Promise<Renewable[]> {
  const found = await query<{ id: string; document: string | null }>(db)`SELECT c.id, c.document FROM connections c
    WHERE c.id > ${cursor} ORDER BY c.id LIMIT ${limit}`;
  return found.map(({ id, document }) => ({
    id,
    document: document === null ? null : (JSON.parse(document) as StoredProvider),
  }));
}

/** Replaces a document that has changed, unless somebody has replaced it meanwhile. */
export async function writeDocument(
  { db, now }: Deps,
  id: string,
  before: StoredProvider,
  after: StoredProvider,
): Promise<void> {
  const [former, present] = [JSON.stringify(before), JSON.stringify(after)];
  if (former === present) return;
  await query(db)`UPDATE connections SET document = ${present}, document_read_at = ${now()}
    WHERE id = ${id} AND document = ${former}`;
}

/** Removes the traces of these connections that are too old to be shown. */
export async function removeOldTraces({ db, now }: Deps, ids: readonly string[]): Promise<void> {
  await query(db)`DELETE FROM sign_on_traces WHERE connection_id IN (SELECT value FROM json_each(${jsonList(ids)}))
    AND at <= ${now() - KEPT_MS}`;
}
