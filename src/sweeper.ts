/** One Durable Object per shard runs its sweep by an alarm at the next due moment, so that a crash costs seconds and not a minute. */
import { DurableObject } from "cloudflare:workers";
import { type SweptAt, sweepShard } from "./delivery/sweep";
import { SWEEP_AT_LEAST_EVERY_MS, SWEEP_AT_MOST_EVERY_MS } from "./delivery/timing";
import { createDeps, type Deps } from "./deps";
import { sweepFanOuts } from "./events/fan-out";
import { describeError, log } from "./log";

const SHARD_KEY = "shard";

export class Sweeper extends DurableObject<Env> {
  /** Lost with the object's memory, which costs a few messages twice. */
  readonly #sweptAt: SweptAt = new Map();

  /** Starts the sweeps of a shard, or does nothing when they are running. */
  async start(shard: number): Promise<void> {
    await this.ctx.storage.put(SHARD_KEY, shard);
    const alarmMs = await this.ctx.storage.getAlarm();
    if (alarmMs === null || alarmMs < Date.now() - SWEEP_AT_LEAST_EVERY_MS) await this.ctx.storage.setAlarm(Date.now());
  }

  /** Sweeps and sets the next alarm, whatever happens. */
  override async alarm(): Promise<void> {
    const shard = (await this.ctx.storage.get<number>(SHARD_KEY)) ?? 0;
    const startedMs = Date.now();
    let nextMs: number | null = null;
    try {
      const deps = await createDeps(this.env, this.ctx);
      nextMs = await sweepShard(deps, shard, this.#sweptAt);
      await sweepFanOuts(deps, shard);
    } catch (error) {
      log("error", "sweep failed", { shard, ...describeError(error) });
    }
    const latestMs = startedMs + SWEEP_AT_LEAST_EVERY_MS;
    await this.ctx.storage.setAlarm(
      Math.max(startedMs + SWEEP_AT_MOST_EVERY_MS, Math.min(nextMs ?? latestMs, latestMs)),
    );
  }
}

/** Sees to it that every shard is swept; the minute cron calls it. */
export async function startSweepers({ shards, sweepers }: Deps): Promise<void> {
  for (const shard of shards.numbers) {
    try {
      await sweepers.get(sweepers.idFromName(String(shard))).start(shard);
    } catch (error) {
      log("error", "sweeper not started", { shard, ...describeError(error) });
    }
  }
}
