/** What the control plane knows about the state of the service. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { audit } from "../../tenancy/audit/record-store";
import { ofService } from "../acting/audit-store";

const MAX_HOURS = 200;

/** What the hourly job has noted about a delivery database: its size, and its attempts in a full hour. */
export interface KnownShard {
  shard: number;
  bytes: number;
  /** The start of the hour, Unix ms; null before the first run. */
  hour: number | null;
  succeeded: number | null;
  failed: number | null;
}

/**
 * Reads the sizes and counts of the delivery databases and the dead letters since `sinceMs` (Unix ms). Records that the
 * operator has read them.
 */
export async function readService({ db }: Deps, operator: SessionPrincipal, sinceMs: number) {
  const { sizes, deadLetters } = await atomically(db, {
    sizes: rows<KnownShard>(sql`SELECT shard, bytes, totals ->> '$.hour' AS hour, totals ->> '$.succeeded' AS succeeded,
        totals ->> '$.failed' AS failed
      FROM shards WHERE shard >= 0`),
    deadLetters: rows<{
      queue: string;
      hour: number;
      messages: number;
    }>(sql`SELECT queue, hour, messages FROM dead_letters
      WHERE hour >= ${sinceMs} ORDER BY hour DESC, queue LIMIT ${MAX_HOURS}`),
    recorded: audit(ofService(operator, "operator.status_read")),
  });
  return { sizes, deadLetters };
}
