/** The state of the service: databases, queues, what waits, what has failed for good, and what is held. */
import { CLOSED_AT, MAX_SHARD_BYTES } from "../../platform/db/shard-sizes-store";
import type { Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { DAY_MS, iso } from "../../platform/time";
import { readQueues } from "../metrics/queues";
import { readShardLoad, type ShardLoad } from "./freezes-store";
import type { ServiceStatus } from "./schemas";
import { namesOfTenants } from "./search-store";
import { readService } from "./status-store";

const DEAD_LETTERS_MS = 7 * DAY_MS;

/**
 * Returns the state of the service, and records that the operator has read it. `unreachable` names the databases that
 * are down.
 */
export async function statusOf(deps: Deps, operator: SessionPrincipal): Promise<ServiceStatus> {
  const nowMs = deps.now();
  const [{ sizes, deadLetters }, queues, loads] = await Promise.all([
    readService(deps, operator, nowMs - DEAD_LETTERS_MS),
    readQueues(deps),
    Promise.all(deps.shards.numbers.map((shard) => loadOf(deps, shard, nowMs))),
  ]);
  const bytesOf = new Map(sizes.map(({ shard, bytes }) => [shard, bytes]));
  const reached = loads.flatMap(({ shard, load }) => (load ? [{ shard, load }] : []));
  const holds = reached.flatMap(({ shard, load }) => load.holds.map((hold) => ({ ...hold, shard })));
  const names = await namesOfTenants(
    deps,
    holds.map(({ tenantId }) => tenantId),
  );
  return {
    shards: reached.map(({ shard, load }) => shardView(shard, bytesOf.get(shard) ?? null, load)),
    queues: queues.map(({ oldestAtMs, ...rest }) => ({ ...rest, oldestAt: isoOrNull(oldestAtMs) })),
    deadLetters: deadLetters.map(({ hour, ...rest }) => ({ ...rest, hour: iso(hour) })),
    holds: holds.map(({ tenantId, cause, since, shard }) => ({
      tenantId: tenantId === "" ? null : tenantId,
      tenantName: names.get(tenantId) ?? null,
      cause,
      since: iso(since),
      shard,
    })),
    unreachable: loads.flatMap(({ shard, load }) => (load ? [] : [shard])),
  };
}

async function loadOf(
  { shards }: Deps,
  shard: number,
  nowMs: number,
): Promise<{ shard: number; load: ShardLoad | null }> {
  try {
    return { shard, load: await readShardLoad(shards.db(shard), nowMs) };
  } catch (error) {
    log("error", "delivery database not read", { shard, ...describeError(error) });
    return { shard, load: null };
  }
}

function shardView(shard: number, bytes: number | null, load: ShardLoad): ServiceStatus["shards"][number] {
  const { overdue, oldestDueAt, backlogs, oldestInBacklogAt, failing } = load;
  const share = bytes === null ? null : bytes / MAX_SHARD_BYTES;
  return {
    shard,
    bytes,
    share,
    openToNewTenants: (share ?? 0) < CLOSED_AT,
    overdue,
    oldestDueAt: isoOrNull(oldestDueAt),
    backlogs,
    oldestInBacklogAt: isoOrNull(oldestInBacklogAt),
    failing,
  };
}

const isoOrNull = (timeMs: number | null) => (timeMs === null ? null : iso(timeMs));
