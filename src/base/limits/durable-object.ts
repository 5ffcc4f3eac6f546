/** One object per key. It holds a sliding window, in SQLite so that eviction loses nothing. */
import { DurableObject } from "cloudflare:workers";
import { CleanUp } from "./clean-up";
import { leaseMs, maxLeasedUnits, type Rule } from "./rules";
import { consume, giveBack, type LimitVerdict, type WindowEntry } from "./window";

/** What one call takes out of a window. */
export interface UnitDemand {
  units: number;
  /** Further units that the isolate wants to hold for later. It gets as many of them as there is room for. */
  ahead?: number;
  /** Units of earlier calls that were not used, to be given back first. */
  unused?: WindowEntry[];
}

export interface Grant extends LimitVerdict {
  /** How many units `ahead` were granted. */
  ahead: number;
}

/** Its methods are callable over RPC. Everything else is `#private`: TypeScript's `private` would be callable too. */
export class RateLimiter extends DurableObject {
  /** A copy of the table `consumed`; null before the first call and after the clean-up. */
  #entries: WindowEntry[] | null = null;
  /**
   * Units granted ahead of need that their isolates may still use. Not stored: a lease ends before an idle object is
   * evicted.
   */
  #leases: { endsAtMs: number; units: number }[] = [];
  readonly #cleanUp = new CleanUp(this.ctx);

  /** Consumes the demanded units now, all of them or none. */
  async consume(rule: Rule, { units, ahead = 0, unused = [] }: UnitDemand): Promise<Grant> {
    const nowMs = Date.now();
    const before = unused.reduce(giveBack, this.#load());
    const needed = consume(before, rule, units, nowMs);
    const granted = needed.verdict.allowed
      ? this.#grantAhead(rule, Math.min(ahead, needed.verdict.remaining), nowMs)
      : 0;
    const { verdict, entries } = granted > 0 ? consume(needed.entries, rule, granted, nowMs) : needed;
    this.#save(entries, [...unused, verdict], nowMs);
    // After a refusal too: the first call of an object has made its table.
    await this.#cleanUp.setAlarm(verdict.leavesAtMs);
    return { ...verdict, ahead: granted };
  }

  /** Deletes everything stored once all of it has expired. */
  override async alarm(): Promise<void> {
    const last = this.#load().at(-1);
    this.#entries = null;
    await this.#cleanUp.run(last?.leavesAtMs ?? 0);
  }

  /**
   * Creates the table if it is missing, and reads the window. The key of the table is the time, so expiry never scans
   * it.
   */
  #load(): WindowEntry[] {
    if (this.#entries) return this.#entries;
    const { sql } = this.ctx.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS consumed (leaves_at INTEGER PRIMARY KEY, units INTEGER NOT NULL)");
    this.#entries = sql
      .exec<{ leavesAtMs: number; units: number }>(
        "SELECT leaves_at AS leavesAtMs, units FROM consumed ORDER BY leaves_at",
      )
      .toArray();
    return this.#entries;
  }

  /** Stores the entries in `changed`, found by the time at which they leave, and deletes those that have left. */
  #save(entries: WindowEntry[], changed: readonly { leavesAtMs: number }[], nowMs: number): void {
    const { sql } = this.ctx.storage;
    if ((this.#load()[0]?.leavesAtMs ?? Infinity) <= nowMs)
      sql.exec("DELETE FROM consumed WHERE leaves_at <= ?", nowMs);
    for (const { leavesAtMs } of changed) {
      const entry = entries.findLast((one) => one.leavesAtMs === leavesAtMs);
      if (entry) sql.exec("INSERT OR REPLACE INTO consumed (leaves_at, units) VALUES (?, ?)", leavesAtMs, entry.units);
    }
    this.#entries = entries;
  }

  /** Returns how many of `units` may be used ahead of need, and leases them. */
  #grantAhead(rule: Rule, units: number, nowMs: number): number {
    this.#leases = this.#leases.filter((lease) => lease.endsAtMs > nowMs);
    const leased = this.#leases.reduce((sum, lease) => sum + lease.units, 0);
    const granted = Math.max(0, Math.min(units, maxLeasedUnits(rule) - leased));
    if (granted > 0) this.#leases.push({ endsAtMs: nowMs + leaseMs(rule), units: granted });
    return granted;
  }
}
