/** The moves of tenants in the control plane. */
import { sql } from "drizzle-orm";
import { atomically, query, queryFirst, rows } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { auditIfChanged, type NewAuditEvent } from "../../tenancy/audit/record-store";
import { forgetStorageCount } from "../../webhooks/stats/intake-store";

/**
 * What comes next in a move. "copy": what the tenant has much of is copied, while it goes on. "seal": what users write
 * is refused for less than a second, the rest is copied, and the fence is made to last. "flip": the tenant uses the new
 * database. "keep": what was published before stays in the old one. "audit": its audit log there is copied. "clean":
 * what is left there is deleted. "lapsed": the fence ended before the copy did, which begins anew. "cancel": what was
 * copied is deleted.
 */
export type MoveStep = "copy" | "seal" | "flip" | "keep" | "audit" | "clean" | "lapsed" | "cancel";

/** A move. Times are Unix ms. */
export interface Move {
  id: string;
  tenantId: string;
  fromShard: number;
  toShard: number;
  step: MoveStep;
  cursor: string;
  /** How many fences have ended before the copy did. */
  lapses: number;
  createdAt: number;
  movedAt: number | null;
  endedAt: number | null;
}

const COLUMNS = sql.raw(`m.id, m.tenant_id AS tenantId, m.from_shard AS fromShard, m.to_shard AS toShard,
  iif(m.step = 'fence', 'copy', m.step) AS step, m.cursor, m.lapses,
  m.created_at AS createdAt, m.moved_at AS movedAt, m.ended_at AS endedAt`);

/**
 * Begins a move and records it. Returns null when the tenant is in that database already, is being moved, or was moved
 * and has rows in its former database.
 */
export async function insertMove(
  { db }: Deps,
  { tenantId, toShard }: Pick<Move, "tenantId" | "toShard">,
  events: readonly NewAuditEvent[],
  nowMs: number,
): Promise<Move | null> {
  const id = newId();
  const { inserted } = await atomically(db, {
    made: sql`INSERT INTO tenant_moves (id, tenant_id, from_shard, to_shard, step, created_at)
      SELECT ${id}, t.id, t.shard, ${toShard}, 'copy', ${nowMs} FROM tenants t
      WHERE t.id = ${tenantId} AND t.shard <> ${toShard} AND t.former_shard IS NULL ON CONFLICT DO NOTHING`,
    recorded: events.map(auditIfChanged),
    inserted: rows<Move>(sql`SELECT ${COLUMNS} FROM tenant_moves m WHERE m.id = ${id}`),
  });
  return inserted[0] ?? null;
}

/** The newest move of a tenant; null if it was never moved. */
export async function latestMove({ db }: Deps, tenantId: string): Promise<Move | null> {
  const found = await queryFirst<Move>(db)`SELECT ${COLUMNS} FROM tenant_moves m WHERE m.tenant_id = ${tenantId}
    ORDER BY m.created_at DESC LIMIT 1`;
  return found ?? null;
}

/** Up to `limit` moves, of any tenants, that have not ended, after the tenant id `after`. */
export async function openMoves({ db }: Deps, after: string, limit: number): Promise<Move[]> {
  return query<Move>(db)`SELECT ${COLUMNS} FROM tenant_moves m WHERE m.ended_at IS NULL AND m.tenant_id > ${after}
    ORDER BY m.tenant_id LIMIT ${limit}`;
}

/** Notes that a step is done, or how far it has come. Returns null if another run is ahead, or the move has ended. */
export async function saveStep({ db }: Deps, move: Move, next: MoveStep, cursor: string): Promise<Move | null> {
  const { saved } = await atomically(db, {
    done: sql`UPDATE tenant_moves AS m SET step = ${next}, cursor = ${cursor},
      lapses = lapses + ${Number(next === "lapsed" && move.step !== "lapsed")}
      WHERE m.id = ${move.id} AND ${isAt(move)} AND m.ended_at IS NULL`,
    saved: rows<Move>(sql`SELECT ${COLUMNS} FROM tenant_moves m WHERE m.id = ${move.id} AND changes() = 1`),
  });
  return saved[0] ?? null;
}

/** A version before began a move with a step that it called "fence". */
const isAt = ({ step, cursor }: Move) => sql`iif(m.step = 'fence', 'copy', m.step) = ${step} AND m.cursor = ${cursor}`;

/** Cancels the move of a tenant, and records that. Returns null if none is under way that can be stopped. */
export async function cancelMove(
  { db }: Deps,
  tenantId: string,
  events: readonly NewAuditEvent[],
): Promise<Move | null> {
  const { cancelled } = await atomically(db, {
    done: sql`UPDATE tenant_moves SET step = 'cancel', cursor = '' WHERE tenant_id = ${tenantId} AND ended_at IS NULL
      AND step IN ('fence', 'copy', 'lapsed')`,
    recorded: events.map(auditIfChanged),
    cancelled: rows<Move>(sql`SELECT ${COLUMNS} FROM tenant_moves m WHERE m.tenant_id = ${tenantId}
      AND m.ended_at IS NULL AND m.step = 'cancel'`),
  });
  return cancelled[0] ?? null;
}

/**
 * Lets the tenant use its new database. Returns false when there is no such tenant any more. Can be repeated.
 */
export async function flipTenant({ db }: Deps, move: Move, nowMs: number): Promise<boolean> {
  const { found } = await atomically(db, {
    // First, because the flip begins a new count.
    left: sql`UPDATE tenant_moves SET stored_bytes = t.stored_bytes FROM tenants t
      WHERE tenant_moves.id = ${move.id} AND t.id = tenant_moves.tenant_id AND t.shard = tenant_moves.from_shard`,
    flipped: sql`UPDATE tenants SET shard = ${move.toShard}, former_shard = ${move.fromShard}, stored_bytes = 0
      WHERE id = ${move.tenantId} AND shard = ${move.fromShard} AND former_shard IS NULL`,
    noted: sql`UPDATE tenant_moves SET moved_at = coalesce(moved_at, ${nowMs}) WHERE id = ${move.id}
      AND EXISTS (SELECT 1 FROM tenants WHERE id = ${move.tenantId} AND shard = ${move.toShard})`,
    counted: forgetStorageCount(move.toShard),
    found: rows<{ id: string }>(sql`SELECT id FROM tenants WHERE id = ${move.tenantId} AND shard = ${move.toShard}`),
  });
  return found.length === 1;
}

/** Ends a move: the tenant has nothing in its former database any more. */
export async function endMove({ db }: Deps, { id, tenantId, fromShard }: Move, nowMs: number): Promise<void> {
  await atomically(db, {
    forgotten: sql`UPDATE tenants SET former_shard = NULL WHERE id = ${tenantId} AND former_shard = ${fromShard}`,
    ended: sql`UPDATE tenant_moves SET ended_at = ${nowMs} WHERE id = ${id} AND ended_at IS NULL`,
  });
}
