/**
 * One Durable Object per shard runs the sweep and the replays. Its alarm is set to the next due delivery, so a crash
 * delays deliveries by seconds, not by a minute.
 */
import { DurableObject } from "cloudflare:workers";
import { createDeps, type Deps } from "../../platform/deps";
import { describeError, log } from "../../platform/log";
import { type SweptAt, sweepShard } from "../../webhooks/delivery/sweep";
import { MAX_SWEEP_INTERVAL_MS, MIN_SWEEP_INTERVAL_MS } from "../../webhooks/delivery/timing";
import { sweepFanOuts } from "../../webhooks/events/fan-out";
import { continueReplays } from "../../webhooks/resend/replays/continue";

const SHARD_KEY = "shard";

export class Sweeper extends DurableObject<Env> {
  /** Kept in memory only. If it is lost, a few deliveries are queued twice. */
  readonly #sweptAt: SweptAt = new Map();

  /** Starts the sweeps of a shard unless they are running. */
  async start(shard: number): Promise<void> {
    await this.ctx.storage.put(SHARD_KEY, shard);
    const alarmMs = await this.ctx.storage.getAlarm();
    if (alarmMs === null || alarmMs < Date.now() - MAX_SWEEP_INTERVAL_MS) await this.ctx.storage.setAlarm(Date.now());
  }

  /** Sweeps, and sets the next alarm even if that fails. */
  override async alarm(): Promise<void> {
    const shard = (await this.ctx.storage.get<number>(SHARD_KEY)) ?? 0;
    const startedMs = Date.now();
    let nextMs: number | null = null;
    try {
      const deps = await createDeps(this.env, this.ctx);
      nextMs = await sweepShard(deps, shard, this.#sweptAt);
      await sweepFanOuts(deps, shard);
      if (await continueReplays(deps, shard)) nextMs = startedMs;
    } catch (error) {
      log("error", "sweep failed", { shard, ...describeError(error) });
    }
    const latestMs = startedMs + MAX_SWEEP_INTERVAL_MS;
    await this.ctx.storage.setAlarm(
      Math.max(startedMs + MIN_SWEEP_INTERVAL_MS, Math.min(nextMs ?? latestMs, latestMs)),
    );
  }
}

/**
 * Starts the sweeps of every shard where they are not running. Called every minute. A failure is logged. Never throws.
 */
export async function startSweepers({ shards, sweepers }: Deps): Promise<void> {
  for (const shard of shards.numbers) {
    try {
      await sweepers.get(sweepers.idFromName(String(shard))).start(shard);
    } catch (error) {
      log("error", "sweeper not started", { shard, ...describeError(error) });
    }
  }
}
