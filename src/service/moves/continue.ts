/**
 * Moving tenants to other delivery databases. Each step can be repeated, so a move that was killed goes on where it
 * was: the upkeep of the control plane continues it every minute, and a request that meets a sealed fence at once.
 */
import type { Db } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";
import { DAY_MS } from "../../base/time";
import { publishAuditOf } from "../../webhooks/subscriptions/audit-feed";
import { mirrorSubscriptions } from "../../webhooks/subscriptions/mirror-store";
import { cleanPage } from "./clean-store";
import { copiedOf, copyMore, copyTail } from "./copy";
import { copyPage } from "./copy-pages-store";
import { copySubscriptions, endDuties, isInUse } from "./copy-store";
import { isSealed, raiseFence, removeFence, removeLapsed, sealFence } from "./fence-store";
import { endMove, flipTenant, latestMove, type Move, type MoveStep, openMoves, saveStep } from "./store";

const MOVES_PER_PAGE = 50;
/** The most steps and pages that a move makes before it is the next one's turn. */
const MAX_STEPS = 20;
/** Each fence that lapses has refused writes for almost a second. */
const MAX_LAPSES = 2;

/** After a step: the next one, one from a cursor on, "later" if it waits, "ended" after the last one. */
type After = MoveStep | { step: MoveStep; cursor: string } | "later" | "ended";

const databasesOf = ({ shards }: Deps, { fromShard, toShard }: Move): [Db, Db] => [
  shards.db(fromShard),
  shards.db(toShard),
];

const STEPS: Record<MoveStep, (deps: Deps, move: Move) => Promise<After>> = {
  copy: async (deps, move) => {
    const copied = copiedOf(move.cursor, move.createdAt);
    const next = await copyMore(databasesOf(deps, move), move.tenantId, copied, deps.now());
    return { step: next.isNear ? "seal" : "copy", cursor: JSON.stringify({ ...next, isNear: false }) };
  },
  // From here on, operators cannot cancel the move.
  seal: async (deps, move) => {
    const { tenantId, fromShard } = move;
    const [from, to] = databasesOf(deps, move);
    await publishAuditOf(deps, fromShard, tenantId);
    const near = await copyMore([from, to], tenantId, copiedOf(move.cursor, move.createdAt), deps.now());
    if (!near.isNear) return { step: "copy", cursor: JSON.stringify(near) };
    const fence = await raiseFence(from, tenantId, deps.now());
    if (fence.hasLapsed) return "lapsed";
    // The feed of the new database begins where this one ends.
    await Promise.all([copyTail([from, to], tenantId, near), publishAuditOf(deps, fromShard, tenantId)]);
    await copySubscriptions(from, to, tenantId);
    return (await sealFence(from, tenantId, fence)) ? "flip" : "lapsed";
  },
  // What was written since may differ from what was copied.
  lapsed: async (deps, move) => {
    const [from, to] = databasesOf(deps, move);
    await removeLapsed(from, move.tenantId);
    const cleaned = await clean(to, move, "lapsed");
    if (cleaned !== "ended") return cleaned;
    if (move.lapses < MAX_LAPSES) return "copy";
    log("error", "tenant move given up", { tenantId: move.tenantId });
    return "cancel";
  },
  cancel: async (deps, move) => {
    const [from, to] = databasesOf(deps, move);
    await removeFence(from, move.tenantId);
    return clean(to, move, "cancel");
  },
  // The purge of a tenant that was deleted meanwhile removes what was copied.
  flip: async (deps, move) => ((await flipTenant(deps, move, deps.now())) ? "keep" : "ended"),
  keep: async (deps, move) => {
    const { tenantId, fromShard, toShard, movedAt, createdAt } = move;
    const from = deps.shards.db(fromShard);
    await endDuties(from, tenantId);
    await mirrorSubscriptions(deps, { tenantId, shard: toShard, formerShard: fromShard }, deps.now());
    const keptMs = deps.config.retentionDays * DAY_MS;
    if (deps.now() < (movedAt ?? createdAt) + keptMs + DAY_MS) return "later";
    // A long schedule or a pause can keep a delivery open for longer than that, and the log keeps its attempts.
    return (await isInUse(from, tenantId, deps.now() - keptMs)) ? "later" : "audit";
  },
  audit: async (deps, move) => {
    // The log of the control plane is read in any case.
    if (move.fromShard === 0) return "clean";
    const { last, hasMore } = await copyPage(databasesOf(deps, move), move.tenantId, "audit", move.cursor);
    return hasMore ? { step: "audit", cursor: last } : "clean";
  },
  clean: ({ shards }, move) => clean(shards.db(move.fromShard), move, "clean", move.fromShard !== 0),
};

/** Deletes a page of what the tenant has in a database that it does not use. */
async function clean(db: Db, { tenantId, cursor }: Move, step: MoveStep, withAudit = false): Promise<After> {
  const next = await cleanPage(db, tenantId, withAudit, Number(cursor));
  return next === null ? "ended" : { step, cursor: String(next) };
}

/** Continues a move for some steps. Returns whether it has more to do at once. Throws when D1 is down. */
export async function continueMove(deps: Deps, begun: Move, isOver: () => boolean = () => false): Promise<boolean> {
  let move = begun;
  for (let steps = 0; steps < MAX_STEPS && !isOver(); steps += 1) {
    const after = await STEPS[move.step](deps, move);
    if (after === "later") return false;
    if (after === "ended") {
      await endMove(deps, move, deps.now());
      return false;
    }
    const { step, cursor } = typeof after === "string" ? { step: after, cursor: "" } : after;
    const saved = await saveStep(deps, move, step, cursor);
    // Another run is ahead, or an operator has cancelled the move.
    if (saved === null) return true;
    move = saved;
  }
  return true;
}

/**
 * Continues a move whose fence lasts: its run may have been killed. For a request that has met the fence. A failure is
 * logged; the upkeep tries again.
 */
export async function continueSealed(deps: Deps, tenantId: string): Promise<void> {
  const move = await latestMove(deps, tenantId);
  if (move === null || (move.step !== "seal" && move.step !== "flip")) return;
  if (await isSealed(deps.shards.db(move.fromShard), tenantId)) await continueMove(deps, move);
}

/**
 * Continues every move that has not ended. One that fails is logged and does not stop the others. The cursor is the
 * last tenant whose move was continued, behind "+" if a move before it has more to do at once.
 */
export const continueMoves: PagedMaintenance = async (deps, _shard, cursor, isOver) => {
  let hasMore = cursor.startsWith("+");
  let after = hasMore ? cursor.slice(1) : cursor;
  const here = () => (hasMore ? "+" : "") + after;
  while (!isOver()) {
    const moves = await openMoves(deps, after, MOVES_PER_PAGE);
    for (const move of moves) {
      if (isOver()) return here();
      try {
        if (await continueMove(deps, move, isOver)) hasMore = true;
      } catch (error) {
        log("error", "tenant move held up", { tenantId: move.tenantId, ...describeError(error) });
      }
      after = move.tenantId;
    }
    if (moves.length < MOVES_PER_PAGE) {
      if (!hasMore) return null;
      [after, hasMore] = ["", false];
    }
  }
  return here();
};
