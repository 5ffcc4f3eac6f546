/** What `/metrics` reads of sign-on in the control plane, with an index and a limit each. Spans tenants. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { HOUR_MS } from "../../base/time";

const MOST_COUNTED = 500;

interface ConnectionCount {
  kind: string;
  state: string;
  connections: number;
}

/** Of people whom a directory has now. */
const RECORD_STATES = ["active", "inactive", "held"] as const;
type RecordState = (typeof RECORD_STATES)[number];

export async function readSignOn({ db }: Pick<Deps, "db">, nowMs: number) {
  const { connections, records, refused } = await atomically(db, {
    connections: rows<ConnectionCount>(sql`SELECT kind, state, count(*) AS connections
      FROM (SELECT kind, state FROM connections WHERE id > '' ORDER BY id LIMIT ${MOST_COUNTED}) GROUP BY 1, 2`),
    records: rows<Record<RecordState, number | null>>(sql`SELECT sum(active) AS active, sum(inactive) AS inactive,
        sum(held) AS held
      FROM (SELECT directory_active AS active, directory_inactive AS inactive, directory_held AS held
        FROM connections WHERE id > '' ORDER BY id LIMIT ${MOST_COUNTED})`),
    refused: rows<{ refused: number }>(sql`SELECT count(*) AS refused FROM (SELECT 1 FROM sign_on_traces
      INDEXED BY sign_on_traces_refused WHERE ring = 'refusal' AND at > ${nowMs - HOUR_MS} LIMIT ${MOST_COUNTED})`),
  });
  const [counted] = records;
  return {
    connections,
    records: RECORD_STATES.map((state) => ({ state, records: counted?.[state] ?? 0 })),
    refused: refused[0]?.refused ?? 0,
  };
}
