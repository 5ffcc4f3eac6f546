/** The state of the service: databases, queues, what waits, what has failed for good, and what is frozen. */
import { CLOSED_AT, MAX_SHARD_BYTES } from "../../base/db/shard-sizes-store";
import type { Deps } from "../../base/deps";
import { describeError, log } from "../../base/log/log";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { DAY_MS, HOUR_MS, iso, lastFullHour } from "../../base/time";
import { readQueues } from "../metrics/queues";
import type { ServiceStatus } from "./schemas";
import { namesOfTenants } from "./search-store";
import { MAX_FAILING_TENANTS, readShardLoad, type ShardLoad } from "./shard-load-store";
import { type KnownShard, readService } from "./status-store";

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
  const knownOf = new Map(sizes.map((known) => [known.shard, known]));
  const reached = loads.flatMap(({ shard, load }) => (load ? [{ shard, load }] : []));
  const holds = reached.flatMap(({ shard, load }) => load.holds.map((hold) => ({ ...hold, shard })));
  const failing = reached
    .flatMap(({ load }) => load.failingTenants)
    .sort((a, b) => b.failing - a.failing || a.since - b.since)
    .slice(0, MAX_FAILING_TENANTS);
  const names = await namesOfTenants(
    deps,
    [...holds, ...failing].map(({ tenantId }) => tenantId),
  );
  return {
    shards: reached.map(({ shard, load }) => shardView(shard, knownOf.get(shard), load, nowMs)),
    failingTenants: failing.map(({ since, ...rest }) => ({
      ...rest,
      tenantName: names.get(rest.tenantId) ?? "",
      since: iso(since),
    })),
    queues: queues.map(({ oldestAtMs, ...rest }) => ({ ...rest, oldestAt: iso(oldestAtMs) })),
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

function shardView(
  shard: number,
  known: KnownShard | undefined,
  load: ShardLoad,
  nowMs: number,
): ServiceStatus["shards"][number] {
  const bytes = known?.bytes ?? null;
  const { overdue, oldestDueAt, backlogs, oldestInBacklogAt, failing } = load;
  const share = bytes === null ? null : bytes / MAX_SHARD_BYTES;
  return {
    shard,
    bytes,
    share,
    openToNewTenants: (share ?? 0) < CLOSED_AT,
    overdue,
    oldestDueAt: iso(oldestDueAt),
    backlogs,
    oldestInBacklogAt: iso(oldestInBacklogAt),
    failing,
    attempts: attemptsView(known, load, nowMs),
  };
}

/** The attempts of the present hour and the one before it, or of the last hour that the hourly job has counted. */
function attemptsView(known: KnownShard | undefined, { attempts }: ShardLoad, nowMs: number) {
  if (attempts !== null) return { since: iso(lastFullHour(nowMs)), until: iso(nowMs), ...attempts };
  const { hour = null, succeeded = null, failed = null } = known ?? {};
  if (hour === null || succeeded === null || failed === null) return null;
  return { since: iso(hour), until: iso(hour + HOUR_MS), succeeded, failed };
}
