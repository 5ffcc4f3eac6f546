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

export async function readSignOn({ db }: Pick<Deps, "db">, nowMs: number) {
  const { connections, refused } = await atomically(db, {
    connections: rows<ConnectionCount>(sql`SELECT kind, state, count(*) AS connections
      FROM (SELECT kind, state FROM connections WHERE id > '' ORDER BY id LIMIT ${MOST_COUNTED}) GROUP BY 1, 2`),
    refused: rows<{ refused: number }>(sql`SELECT count(*) AS refused FROM (SELECT 1 FROM sign_on_traces
      INDEXED BY sign_on_traces_refused WHERE ring = 'refusal' AND at > ${nowMs - HOUR_MS} LIMIT ${MOST_COUNTED})`),
  });
  return { connections, refused: refused[0]?.refused ?? 0 };
}
