/** The daily look at every connection in D1, across tenants. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { StoredProvider } from "../../base/schemas/connection-settings";
import { KEPT_MS } from "../traces/store";

export interface Renewable {
  id: string;
  tenantId: string;
  name: string;
  document: StoredProvider | null;
  /** When the first of its certificates ends that has not ended, Unix ms; null: it has none. */
  certificateEndsAt: number | null;
}

/** Of a row of `connections` named `c`. */
const CERTIFICATES = sql.raw("json_each(c.settings, '$.saml.certificates') e");
const NOT_AFTER = sql.raw("e.value ->> '$.notAfterMs'");

/** Up to `limit` connections after the one with the id `cursor`. */
export async function readPage({ db, now }: Deps, cursor: string, limit: number): Promise<Renewable[]> {
  const found = await query<Omit<Renewable, "document"> & { document: string | null }>(db)`SELECT c.id,
      c.tenant_id AS tenantId, c.name, c.document,
      (SELECT min(${NOT_AFTER}) FROM ${CERTIFICATES} WHERE ${NOT_AFTER} > ${now()}) AS certificateEndsAt
    FROM connections c WHERE c.id > ${cursor} ORDER BY c.id LIMIT ${limit}`;
  return found.map(({ document, ...row }) => ({
    ...row,
    document: document === null ? null : (JSON.parse(document) as StoredProvider),
  }));
}

/** A certificate that ends soon. */
export interface EndingCertificate {
  connectionId: string;
  notAfterMs: number;
}

/**
 * Of the certificates of these connections that end until then (Unix ms), those of which nobody was told; notes that
 * they are. It is noted until they have ended.
 */
export async function takeEndingCertificates(
  { db, now }: Deps,
  ids: readonly string[],
  untilMs: number,
): Promise<EndingCertificate[]> {
  const { taken } = await atomically(db, {
    taken: rows<{ id: string }>(sql`INSERT OR IGNORE INTO used_states (id)
      SELECT (${NOT_AFTER}) || ':' || c.id || ':' || (e.value ->> '$.fingerprint') FROM connections c, ${CERTIFICATES}
      WHERE c.id IN (SELECT value FROM json_each(${jsonList(ids)})) AND c.state IN ('ready', 'active')
        AND ${NOT_AFTER} > ${now()} AND ${NOT_AFTER} <= ${untilMs} RETURNING id`),
  });
  return taken.map(({ id }) => {
    const [notAfterMs, connectionId = ""] = id.split(":");
    return { connectionId, notAfterMs: Number(notAfterMs) };
  });
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
