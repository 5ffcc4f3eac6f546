/** Moves of a tenant whose runs are killed, each at a later call to D1. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { createDb } from "../../src/base/db/client";
import { createDeps, type Deps } from "../../src/base/deps";
import { SYSTEM } from "../../src/base/schemas/actor";
import { continueMove } from "../../src/service/moves/continue";
import { insertMove, latestMove, type Move } from "../../src/service/moves/store";
import type { Person } from "./client";

/** A database whose calls fail from the `last` one on, or have their effect and then fail. */
function dying(database: D1Database, calls: { made: number; last: number; hasEffect: boolean }) {
  const batch = async (statements: D1PreparedStatement[]) => {
    calls.made += 1;
    if (calls.made > calls.last && !calls.hasEffect) throw new Error("killed");
    const answer = await database.batch(statements);
    if (calls.made > calls.last) throw new Error("killed");
    return answer;
  };
  const counted = { prepare: (text: string) => database.prepare(text), batch } as unknown as D1Database;
  return createDb(counted, { trips: 0, sqlMs: 0, rowsWritten: 0 });
}

/**
 * Continues a move in runs that are killed, each one call later than the one before. `meanwhile` runs after each.
 * Returns the kills.
 */
export async function killUntil(
  person: Person,
  aheadMs: number,
  isOver: (move: Move) => boolean,
  meanwhile: (move: Move) => Promise<void> = async () => undefined,
): Promise<number> {
  for (let kills = 0; kills < 400; kills += 1) {
    const context = createExecutionContext();
    const real: Deps = await createDeps(env, context);
    // On a slow machine fences lapse between two runs, and the move would be given up.
    await env.DB.prepare("UPDATE tenant_moves SET lapses = 0 WHERE tenant_id = ?").bind(person.tenantId).run();
    const move = await latestMove(real, person.tenantId);
    if (!move) throw new Error("no move");
    if (isOver(move)) return kills;
    const calls = { made: 0, last: Math.floor(kills / 2), hasEffect: kills % 2 === 1 };
    const databases = [dying(env.DB, calls), dying(env.SHARD_1, calls)] as const;
    const shards = { ...real.shards, db: (shard: number) => databases[shard === 0 ? 0 : 1] };
    const deps = { ...real, db: databases[0], shards, now: () => Date.now() + aheadMs };
    await continueMove(deps, move).catch(() => undefined);
    await waitOnExecutionContext(context);
    await meanwhile(move);
  }
  throw new Error("the move does not end");
}

/** Begins a move to a database. The clock is `aheadMs` ahead. */
export async function beginMove(
  { tenantId }: Pick<Person, "tenantId">,
  toShard: number,
  aheadMs: number,
): Promise<void> {
  const deps = await createDeps(env, createExecutionContext());
  const event = { tenantId, action: "operator.tenant_moved", actor: SYSTEM } as const;
  expect(await insertMove(deps, { tenantId, toShard }, [event], Date.now() + aheadMs)).not.toBeNull();
}
