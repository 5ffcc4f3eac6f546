/** One object per key: a sliding window, or the guess pools of one email. State is in its SQLite, so eviction loses nothing. */
import { DurableObject } from "cloudflare:workers";
import { type LockState, reserve, UNLOCKED } from "./lock";
import type { Rule } from "./rules";
import { take, type Verdict } from "./window";

export type LockPool = "password" | "totp";

/** A lock is forgotten a day after its end: the doubling must outlive the lock itself. */
const LOCK_MEMORY_MS = 24 * 3_600_000;

export class RateLimiter extends DurableObject {
  /** When each hit leaves the window, oldest first; null before the first call, and after a clean-up, which leaves no table. */
  private hits: number[] | null = null;
  /** An alarm is set; looked up once a life of the object. */
  private armed: boolean | undefined;

  /** Takes one hit under `rule` now. */
  async take(rule: Rule): Promise<Verdict> {
    const nowMs = Date.now();
    const known = this.open();
    const { verdict, hits } = take(known, rule, nowMs);
    const expired = known.length + (verdict.allowed ? 1 : 0) - hits.length;
    this.hits = hits;
    if (expired > 0) this.ctx.storage.sql.exec("DELETE FROM hits WHERE leaves_at <= ?", nowMs);
    if (verdict.allowed) {
      const leavesAtMs = nowMs + rule.windowSeconds * 1000;
      this.ctx.storage.sql.exec("INSERT INTO hits (leaves_at) VALUES (?)", leavesAtMs);
      await this.cleanUpAfter(leavesAtMs);
    }
    return verdict;
  }

  /** Reserves one guess in `pool`. Returns 0, or the seconds for which a lock of either pool refuses. */
  async reserveGuess(pool: LockPool): Promise<number> {
    const nowMs = Date.now();
    this.open();
    const states = { password: this.readLock("password"), totp: this.readLock("totp") };
    const lockedUntilMs = Math.max(states.password.lockedUntilMs, states.totp.lockedUntilMs);
    if (lockedUntilMs > nowMs) return Math.ceil((lockedUntilMs - nowMs) / 1000);
    const state = reserve(states[pool], nowMs);
    const forgetAtMs = Math.max(nowMs, state.lockedUntilMs) + LOCK_MEMORY_MS;
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO locks VALUES (?, ?, ?)", pool, JSON.stringify(state), forgetAtMs);
    await this.cleanUpAfter(forgetAtMs);
    return 0;
  }

  /** Forgets the guesses and the lock of `pool`: it was a success. */
  async clearGuesses(pool: LockPool): Promise<void> {
    this.open();
    this.ctx.storage.sql.exec("DELETE FROM locks WHERE pool = ?", pool);
  }

  /** Deletes the object's state once nothing in it matters any more. */
  override async alarm(): Promise<void> {
    this.open();
    const { last } = this.ctx.storage.sql
      .exec<{ last: number | null }>(
        "SELECT max(at) AS last FROM (SELECT leaves_at AS at FROM hits UNION ALL SELECT forget_at FROM locks)",
      )
      .one();
    if (last !== null && last > Date.now()) {
      await this.ctx.storage.setAlarm(last);
      return;
    }
    await this.ctx.storage.deleteAll();
    this.hits = null;
    this.armed = false;
  }

  private open(): number[] {
    if (this.hits) return this.hits;
    const { sql } = this.ctx.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS hits (leaves_at INTEGER NOT NULL)");
    sql.exec(
      "CREATE TABLE IF NOT EXISTS locks (pool TEXT PRIMARY KEY, state TEXT NOT NULL, forget_at INTEGER NOT NULL)",
    );
    const rows = sql.exec<{ leaves_at: number }>("SELECT leaves_at FROM hits ORDER BY leaves_at");
    this.hits = [...rows].map((row) => row.leaves_at);
    return this.hits;
  }

  private readLock(pool: LockPool): LockState {
    const row = [...this.ctx.storage.sql.exec<{ state: string }>("SELECT state FROM locks WHERE pool = ?", pool)][0];
    return row ? (JSON.parse(row.state) as LockState) : UNLOCKED;
  }

  /** One alarm at a time, never moved: when it comes early, it sets itself anew. */
  private async cleanUpAfter(timeMs: number): Promise<void> {
    this.armed ??= (await this.ctx.storage.getAlarm()) !== null;
    if (this.armed) return;
    this.armed = true;
    await this.ctx.storage.setAlarm(timeMs);
  }
}
