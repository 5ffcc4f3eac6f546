/** One object per key: a sliding window, or the guess pools of one email. State is in its SQLite, so eviction loses nothing. */
import { DurableObject } from "cloudflare:workers";
import { type LockState, reserve, UNLOCKED } from "./lock";
import type { Rule } from "./rules";
import { take, type Verdict } from "./window";

export type LockPool = "password" | "totp";

/** A lock is forgotten a day after its end: the doubling must outlive the lock itself. */
const LOCK_MEMORY_MS = 24 * 3_600_000;

export class RateLimiter extends DurableObject {
  private hits: number[];

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.createTables();
    this.hits = [...ctx.storage.sql.exec<{ at: number }>("SELECT at FROM hits ORDER BY at")].map((row) => row.at);
  }

  /** Takes one hit under `rule` now. */
  async take(rule: Rule): Promise<Verdict> {
    const nowMs = Date.now();
    const before = this.hits.length;
    const { verdict, hits } = take(this.hits, rule, nowMs);
    const expired = before + (verdict.allowed ? 1 : 0) - hits.length;
    this.hits = hits;
    if (expired > 0) this.ctx.storage.sql.exec("DELETE FROM hits WHERE at <= ?", nowMs - rule.windowSeconds * 1000);
    if (verdict.allowed) {
      this.ctx.storage.sql.exec("INSERT INTO hits (at) VALUES (?)", nowMs);
      await this.keepUntil(nowMs + rule.windowSeconds * 1000);
    }
    return verdict;
  }

  /** Reserves one guess in `pool`. Returns 0, or the seconds for which a lock of either pool refuses. */
  async reserveGuess(pool: LockPool): Promise<number> {
    const nowMs = Date.now();
    const states = { password: this.readLock("password"), totp: this.readLock("totp") };
    const lockedUntilMs = Math.max(states.password.lockedUntilMs, states.totp.lockedUntilMs);
    if (lockedUntilMs > nowMs) return Math.ceil((lockedUntilMs - nowMs) / 1000);
    const state = reserve(states[pool], nowMs);
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO locks (pool, state) VALUES (?, ?)", pool, JSON.stringify(state));
    await this.keepUntil(Math.max(nowMs, state.lockedUntilMs) + LOCK_MEMORY_MS);
    return 0;
  }

  /** Forgets the guesses and the lock of `pool`: it was a success. */
  async clearGuesses(pool: LockPool): Promise<void> {
    this.ctx.storage.sql.exec("DELETE FROM locks WHERE pool = ?", pool);
  }

  /** Deletes the object's state once nothing in it matters any more. */
  override async alarm(): Promise<void> {
    const keepUntilMs = (await this.ctx.storage.get<number>("keepUntil")) ?? 0;
    if (keepUntilMs > Date.now()) {
      await this.ctx.storage.setAlarm(keepUntilMs);
      return;
    }
    await this.ctx.storage.deleteAll();
    this.createTables();
    this.hits = [];
  }

  private createTables(): void {
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS hits (at INTEGER NOT NULL)");
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS locks (pool TEXT PRIMARY KEY, state TEXT NOT NULL)");
  }

  private readLock(pool: LockPool): LockState {
    const row = [...this.ctx.storage.sql.exec<{ state: string }>("SELECT state FROM locks WHERE pool = ?", pool)][0];
    return row ? (JSON.parse(row.state) as LockState) : UNLOCKED;
  }

  private async keepUntil(timeMs: number): Promise<void> {
    await this.ctx.storage.put("keepUntil", timeMs);
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(timeMs);
  }
}
