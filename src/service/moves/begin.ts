/** Beginning to move a tenant, and what operators see of it. */
import type { Deps } from "../../base/deps";
import { AppError, invalidField } from "../../base/errors";
import { describeError, log } from "../../base/log/log";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { iso } from "../../base/time";
import { ofTenant } from "../acting/audit-store";
import { tenantToChange } from "../acting/tenant-to-change";
import { continueMove } from "./continue";
import { copiedOf, countRowsLeft } from "./copy";
import type { TenantMove } from "./schemas";
import { cancelMove, insertMove, latestMove, type Move } from "./store";

/**
 * Moves a tenant to another delivery database. If a step fails, the upkeep repeats it. Throws NOT_FOUND,
 * VALIDATION_FAILED for a database that is not bound or is the present one, CONFLICT while the tenant has rows in a
 * former database.
 */
export async function moveTenant(
  deps: Deps,
  operator: SessionPrincipal,
  id: string,
  { shard: toShard }: { shard: number },
): Promise<void> {
  const { tenantId, shard } = await tenantToChange(deps, id);
  if (!deps.shards.numbers.includes(toShard)) throw wrongShard("There is no database with this number");
  if (tenantId === PLATFORM_TENANT) throw wrongShard("The platform's own tenant stays where the accounts are");
  if (shard === toShard) throw wrongShard("The tenant is in this database");
  const events = ofTenant(operator, tenantId, "operator.tenant_moved", { from: shard, to: toShard });
  const move = await insertMove(deps, { tenantId, toShard }, events, deps.now());
  if (!move) {
    throw new AppError("CONFLICT", {
      message: "The tenant was moved before, and its former database still has deliveries of it.",
    });
  }
  await go(deps, move);
}

/**
 * Cancels the move of a tenant: it stays where it is. Throws NOT_FOUND, and CONFLICT when no move is under way that
 * can be stopped.
 */
export async function cancelMoveOf(deps: Deps, operator: SessionPrincipal, id: string): Promise<void> {
  const { tenantId } = await tenantToChange(deps, id);
  const move = await cancelMove(deps, tenantId, ofTenant(operator, tenantId, "operator.move_cancelled"));
  if (!move) {
    throw new AppError("CONFLICT", { message: "The tenant is not being moved, or uses the new database already." });
  }
  await go(deps, move);
}

/** The first steps. The upkeep makes the others, and repeats what fails. */
async function go(deps: Deps, move: Move): Promise<void> {
  try {
    await continueMove(deps, move);
  } catch (error) {
    log("error", "tenant move held up", { tenantId: move.tenantId, ...describeError(error) });
  }
}

const wrongShard = (message: string) => invalidField("shard", message);

/** The newest move of a tenant; null if it was never moved. */
export async function moveOf(deps: Deps, tenantId: string): Promise<TenantMove | null> {
  const move = await latestMove(deps, tenantId);
  return (
    move && {
      from: move.fromShard,
      to: move.toShard,
      state: stateOf(move),
      rowsLeft: await rowsLeftOf(deps, move),
      createdAt: iso(move.createdAt),
      movedAt: iso(move.movedAt),
      endedAt: iso(move.endedAt),
    }
  );
}

function stateOf({ step, movedAt, endedAt }: Move): TenantMove["state"] {
  if (step === "cancel") return "cancelled";
  if (endedAt !== null) return "ended";
  return movedAt !== null ? "moved" : "moving";
}

const rowsLeftOf = async ({ shards }: Deps, { tenantId, fromShard, step, cursor, createdAt }: Move) =>
  step === "copy" || step === "seal"
    ? countRowsLeft(shards.db(fromShard), tenantId, copiedOf(cursor, createdAt))
    : null;
