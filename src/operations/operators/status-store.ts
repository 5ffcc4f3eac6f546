/** What the control plane knows about the state of the service. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../platform/db/client";
import type { Deps } from "../../platform/deps";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { audit } from "../../tenancy/audit/record-store";
import { ofService } from "./audit-store";

const MAX_HOURS = 200;

/**
 * Reads the sizes of the delivery databases and the dead letters since `sinceMs` (Unix ms). Records that the operator
 * has read them.
 */
export async function readService({ db }: Deps, operator: SessionPrincipal, sinceMs: number) {
  const { sizes, deadLetters } = await atomically(db, {
    sizes: rows<{ shard: number; bytes: number }>(sql`SELECT shard, bytes FROM shards WHERE shard >= 0`),
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
