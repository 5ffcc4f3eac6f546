/** One object per key. It holds a sliding window, or the failed guesses for one email address, in SQLite so that eviction loses nothing. */
import { DurableObject } from "cloudflare:workers";
import { type LockState, reserve, UNLOCKED } from "./lock";
import type { Rule } from "./rules";
import { consume, type Verdict, type WindowEntry } from "./window";

/** Wrong passwords and wrong second factors are counted apart. */
export type GuessPool = "password" | "totp";

/** The number of locks is kept for a day after the last one ends, so that the next lock lasts twice as long. */
const LOCK_MEMORY_MS = 24 * 3_600_000;

/** Its methods are callable over RPC. Everything else is `#private`: TypeScript's `private` would be callable too. */
export class RateLimiter extends DurableObject {
  /** A copy of the table `consumed`; null before the first call and after the clean-up. */
  #entries: WindowEntry[] | null = null;
  /** Whether an alarm is set; undefined until it has been looked up. */
  #hasAlarm: boolean | undefined;

  /** Consumes one unit of `rule` now, if there is room. */
  async consume(rule: Rule): Promise<Verdict> {
    const nowMs = Date.now();
    const before = this.#load();
    const { verdict, entries } = consume(before, rule, nowMs);
    const { sql } = this.ctx.storage;
    if ((before[0]?.leavesAtMs ?? Infinity) <= nowMs) sql.exec("DELETE FROM consumed WHERE leaves_at <= ?", nowMs);
    const leavesAtMs = nowMs + rule.windowSeconds * 1000;
    if (verdict.allowed) {
      sql.exec(
        "INSERT INTO consumed (leaves_at, units) VALUES (?, 1) ON CONFLICT (leaves_at) DO UPDATE SET units = units + 1",
        leavesAtMs,
      );
    }
    this.#entries = entries;
    if (verdict.allowed) await this.#cleanUpAfter(leavesAtMs);
    return verdict;
  }

  /** Counts one guess in `pool` as failed before it is checked. Returns 0, or for how many seconds a lock of either pool refuses it. */
  async reserveGuess(pool: GuessPool): Promise<number> {
    const nowMs = Date.now();
    this.#load();
    const states = { password: this.#readLock("password"), totp: this.#readLock("totp") };
    const lockedUntilMs = Math.max(states.password.lockedUntilMs, states.totp.lockedUntilMs);
    if (lockedUntilMs > nowMs) return Math.ceil((lockedUntilMs - nowMs) / 1000);
    const state = reserve(states[pool], nowMs);
    const forgetAtMs = Math.max(nowMs, state.lockedUntilMs) + LOCK_MEMORY_MS;
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO locks VALUES (?, ?, ?)", pool, JSON.stringify(state), forgetAtMs);
    await this.#cleanUpAfter(forgetAtMs);
    return 0;
  }

  /** Forgets the failed guesses and the lock of `pool`. */
  async clearGuesses(pool: GuessPool): Promise<void> {
    // An object without an alarm stores nothing, and must not start to: nobody would clean it up.
    if (!(await this.#isAlarmSet())) return;
    this.#load();
    this.ctx.storage.sql.exec("DELETE FROM locks WHERE pool = ?", pool);
  }

  /** Deletes everything stored once all of it has expired. */
  override async alarm(): Promise<void> {
    this.#load();
    const { last } = this.ctx.storage.sql
      .exec<{ last: number | null }>(
        "SELECT max(at) AS last FROM (SELECT max(leaves_at) AS at FROM consumed UNION ALL SELECT forget_at FROM locks)",
      )
      .one();
    if (last !== null && last > Date.now()) {
      await this.ctx.storage.setAlarm(last);
      return;
    }
    await this.ctx.storage.deleteAll();
    this.#entries = null;
    this.#hasAlarm = false;
  }

  /** Creates the tables if they are missing, and reads the window. Its key is the time, so expiry never scans it. */
  #load(): WindowEntry[] {
    if (this.#entries) return this.#entries;
    const { sql } = this.ctx.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS consumed (leaves_at INTEGER PRIMARY KEY, units INTEGER NOT NULL)");
    sql.exec(
      "CREATE TABLE IF NOT EXISTS locks (pool TEXT PRIMARY KEY, state TEXT NOT NULL, forget_at INTEGER NOT NULL)",
    );
    this.#entries = sql
      .exec<{ leavesAtMs: number; units: number }>(
        "SELECT leaves_at AS leavesAtMs, units FROM consumed ORDER BY leaves_at",
      )
      .toArray();
    return this.#entries;
  }

  #readLock(pool: GuessPool): LockState {
    const [row] = this.ctx.storage.sql
      .exec<{ state: string }>("SELECT state FROM locks WHERE pool = ?", pool)
      .toArray();
    return row ? (JSON.parse(row.state) as LockState) : UNLOCKED;
  }

  /** Sets the alarm unless one is set. An alarm is never moved: one that comes early sets the next. */
  async #cleanUpAfter(timeMs: number): Promise<void> {
    if (await this.#isAlarmSet()) return;
    this.#hasAlarm = true;
    await this.ctx.storage.setAlarm(timeMs);
  }

  async #isAlarmSet(): Promise<boolean> {
    this.#hasAlarm ??= (await this.ctx.storage.getAlarm()) !== null;
    return this.#hasAlarm;
  }
}
