/**
 * Moving tenants to other delivery databases. Each step can be repeated, so a move that was killed goes on where it
 * was: the upkeep of the control plane continues it every minute.
 */
import type { Db } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";
import { DAY_MS } from "../../base/time";
import { publishAuditOf } from "../../webhooks/subscriptions/audit-feed";
import { mirrorSubscriptions } from "../../webhooks/subscriptions/mirror-store";
import { cleanPage, copyPage, copySubscriptions, copyVersions, endDuties, fence, isInUse } from "./copy-store";
import { endMove, flipTenant, type Move, type MoveStep, openMoves, saveStep } from "./store";

const MOVES_PER_PAGE = 50;
/** The most steps and pages that one run makes of a move. */
const MAX_STEPS = 20;

/** After a step: the next one, the same one from `cursor` on, "later" if it waits, "ended" after the last one. */
type After = MoveStep | { cursor: string } | "later" | "ended";

const STEPS: Record<MoveStep, (deps: Deps, move: Move) => Promise<After>> = {
  fence: async ({ shards, now }, { tenantId, fromShard }) => {
    await fence(shards.db(fromShard), tenantId, now());
    return "copy";
  },
  copy: async (deps, { tenantId, fromShard, toShard, cursor }) => {
    const [from, to] = [deps.shards.db(fromShard), deps.shards.db(toShard)];
    const next = await copyLong(from, to, tenantId, cursor);
    if (next !== null) return { cursor: next };
    // The feed of the new database begins where this one ends.
    await publishAuditOf(deps, fromShard, tenantId);
    await copySubscriptions(from, to, tenantId);
    return "flip";
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
  audit: async ({ shards }, { tenantId, fromShard, toShard, cursor }) => {
    // The log of the control plane is read in any case.
    if (fromShard === 0) return "clean";
    const next = await copyPage(shards.db(fromShard), shards.db(toShard), tenantId, "audit", cursor);
    return next === null ? "clean" : { cursor: next };
  },
  clean: async ({ shards }, { tenantId, fromShard }) =>
    (await cleanPage(shards.db(fromShard), tenantId, fromShard !== 0)) ? "ended" : { cursor: "" },
};

const COPIED_IN_PAGES = ["numbers", "entries"] as const;

/** Copies a page of what a tenant has much of. The cursor is the table and its last key. Null at the end. */
async function copyLong(from: Db, to: Db, tenantId: string, cursor: string): Promise<string | null> {
  const [of = "numbers", ...after] = cursor.split(" ");
  if (of === "versions") return copyTypes(from, to, tenantId, after);
  const which = COPIED_IN_PAGES.find((name) => name === of) ?? "numbers";
  const next = await copyPage(from, to, tenantId, which, after.join(" "));
  if (next !== null) return `${which} ${next}`;
  return `${COPIED_IN_PAGES[COPIED_IN_PAGES.indexOf(which) + 1] ?? "versions"} `;
}

/** Copies a page of the versions of event types, whose names have no spaces. */
async function copyTypes(from: Db, to: Db, tenantId: string, [version = "", name = ""]: readonly string[]) {
  const next = await copyVersions(from, to, tenantId, { name, version: Number(version) });
  return next === null ? null : `versions ${next.version} ${next.name}`;
}

/** Continues a move until it ends, has to wait, or has used up its steps. Throws when D1 is down. */
export async function continueMove(deps: Deps, begun: Move): Promise<void> {
  let move = begun;
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const after = await STEPS[move.step](deps, move);
    if (after === "later") return;
    if (after === "ended") return endMove(deps, move, deps.now());
    const [step, cursor] = typeof after === "string" ? [after, ""] : [move.step, after.cursor];
    await saveStep(deps, move, step, cursor);
    move = { ...move, step, cursor, movedAt: step === "keep" ? (move.movedAt ?? deps.now()) : move.movedAt };
  }
}

/**
 * Continues every move that has not ended. One that fails is logged and does not stop the others. The cursor is the
 * last tenant whose move was continued.
 */
export const continueMoves: PagedMaintenance = async (deps, _shard, cursor, isOver) => {
  let after = cursor;
  while (!isOver()) {
    const moves = await openMoves(deps, after, MOVES_PER_PAGE);
    for (const move of moves) {
      if (isOver()) return after;
      await continueMove(deps, move).catch((error: unknown) => {
        log("error", "tenant move held up", { tenantId: move.tenantId, ...describeError(error) });
      });
      after = move.tenantId;
    }
    if (moves.length < MOVES_PER_PAGE) return null;
  }
  return after;
};
