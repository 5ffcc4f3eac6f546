/** Traces of tests and refusals in D1, in rings that are written in place. The connection leads to the tenant. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, query, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { DAY_MS } from "../../base/time";
import { beginToFail, type FailingConnection, mailOfFailing } from "./failing-store";
import type { NotedFailing } from "./tell";

/** How many of each are kept, and for how long. Sign-outs have a ring of their own: they fail apart from sign-ons. */
const RING = { test: 50, refusal: 100, logout: 20 } as const;
const RING_OF = { test: "test", "sign-on": "refusal", logout: "logout" } as const;
export const KEPT_MS = 30 * DAY_MS;

/** Times are Unix ms. */
export interface TraceRow {
  id: string;
  connectionId: string;
  at: number;
  kind: "test" | "sign-on" | "logout";
  outcome: "started" | "succeeded" | "refused";
  version: number;
  step: string;
  reason: string | null;
  /** JSON. */
  facts: string | null;
  claimsSealed: string | null;
  /** JSON. */
  would: string | null;
  /** Who has begun the test; null: a platform key, or it is no test. */
  userId: string | null;
  /** The setup link whose session began the test; null: no link did. */
  setupId: string | null;
}

const COLUMNS = sql.raw(
  "t.id, t.connection_id AS connectionId, t.at, t.kind, t.outcome, t.version, t.step, t.reason, t.facts, " +
    "t.claims_sealed AS claimsSealed, t.would, t.user_id AS userId, t.setup_id AS setupId",
);

/** Writes a trace over the oldest of a full ring. Writes nothing for a connection that is gone. */
export async function insertTrace({ db }: Deps, row: TraceRow): Promise<void> {
  await query(db)`${insertion(row)}`;
}

/** As `insertTrace`, of a refused sign-on. Returns what it has noted of its connection. */
export async function insertRefusal({ db, now }: Deps, row: TraceRow): Promise<NotedFailing> {
  const { begun, mailed } = await atomically(db, {
    inserted: insertion(row),
    begun: rows<FailingConnection>(beginToFail(row.connectionId, now())),
    mailed: rows<FailingConnection>(mailOfFailing(row.connectionId, now())),
  });
  return { begun: begun[0], mailed: mailed[0] };
}

function insertion(row: TraceRow): SQL {
  const ring = RING_OF[row.kind];
  return sql`INSERT INTO sign_on_traces (connection_id, ring, slot, id, at, kind, outcome, version,
      step, reason, facts, claims_sealed, would, user_id, setup_id)
    SELECT c.id, ${ring}, coalesce((SELECT (t.slot + 1) % ${RING[ring]} FROM sign_on_traces t
        WHERE t.connection_id = c.id AND t.ring = ${ring} ORDER BY t.at DESC, t.id DESC LIMIT 1), 0),
      ${row.id}, ${row.at}, ${row.kind}, ${row.outcome}, ${row.version}, ${row.step}, ${row.reason}, ${row.facts},
      ${row.claimsSealed}, ${row.would}, ${row.userId}, ${row.setupId}
    FROM connections c WHERE c.id = ${row.connectionId}
    ON CONFLICT (connection_id, ring, slot) DO UPDATE SET id = excluded.id, at = excluded.at, kind = excluded.kind,
      outcome = excluded.outcome, version = excluded.version, step = excluded.step, reason = excluded.reason,
      facts = excluded.facts, claims_sealed = excluded.claims_sealed, would = excluded.would,
      user_id = excluded.user_id, setup_id = excluded.setup_id`;
}

/**
 * Writes how a test that has started ends, once; a success counts for the version that was tested. Returns the
 * setup link that began it, or null; undefined if it has ended before.
 */
export async function finishTest(
  { db }: Deps,
  { id, connectionId, outcome, version, step, reason, facts, claimsSealed, would }: Omit<TraceRow, "setupId">,
  nowMs: number,
): Promise<string | null | undefined> {
  const { finished } = await atomically(db, {
    finished: rows<{
      setupId: string | null;
    }>(sql`UPDATE sign_on_traces SET outcome = ${outcome}, step = ${step}, reason = ${reason}, facts = ${facts},
        claims_sealed = ${claimsSealed}, would = ${would}
      WHERE connection_id = ${connectionId} AND ring = 'test' AND id = ${id} AND outcome = 'started'
      RETURNING setup_id AS setupId`),
    tested:
      outcome === "succeeded"
        ? sql`UPDATE connections SET tested_at = ${nowMs}, tested_version = version WHERE id = ${connectionId}
            AND version = ${version} AND changes() > 0`
        : undefined,
  });
  return finished[0]?.setupId;
}

/** The traces of the tenant's connection of the last 30 days, newest first; undefined when it has none with this id. */
export async function listTraces(
  { db, now }: Deps,
  tenantId: string,
  connectionId: string,
): Promise<TraceRow[] | undefined> {
  const { found, traces } = await atomically(db, {
    found: rows<{ id: string }>(sql`SELECT id FROM connections WHERE id = ${connectionId} AND tenant_id = ${tenantId}`),
    traces: rows<TraceRow>(sql`SELECT ${COLUMNS} FROM connections c CROSS JOIN sign_on_traces t
      ON t.connection_id = c.id WHERE c.id = ${connectionId} AND c.tenant_id = ${tenantId}
        AND t.at > ${now() - KEPT_MS} ORDER BY t.at DESC, t.id DESC`),
  });
  return found.length === 0 ? undefined : traces;
}
