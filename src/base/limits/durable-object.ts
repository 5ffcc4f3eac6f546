/**
 * One object per key, or per tenant for the limits of publishing. It holds sliding windows, in SQLite so that eviction
 * loses nothing.
 */
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
  /** A copy of the table `windows`, by their names; null before the first call and after the clean-up. */
  #entries: Map<string, WindowEntry[]> | null = null;
  /**
   * Units granted ahead of need that their isolates may still use. Not stored: a lease ends before an idle object is
   * evicted.
   */
  #leases: { window: string; endsAtMs: number; units: number }[] = [];
  readonly #cleanUp = new CleanUp(this.ctx);

  /** Consumes the demanded units of a window now, all of them or none. */
  async consume(rule: Rule, { units, ahead = 0, unused = [] }: UnitDemand, window = ""): Promise<Grant> {
    const nowMs = Date.now();
    const before = unused.reduce(giveBack, this.#load().get(window) ?? []);
    const needed = consume(before, rule, units, nowMs);
    const granted = needed.verdict.allowed
      ? this.#grantAhead(rule, window, Math.min(ahead, needed.verdict.remaining), nowMs)
      : 0;
    const { verdict, entries } = granted > 0 ? consume(needed.entries, rule, granted, nowMs) : needed;
    this.#save(window, entries, [...unused, verdict], nowMs);
    // After a refusal too: the first call of an object has made its table.
    await this.#cleanUp.setAlarm(verdict.leavesAtMs);
    return { ...verdict, ahead: granted };
  }

  /** Deletes everything stored once all of it has expired. */
  override async alarm(): Promise<void> {
    const ends = [...this.#load().values()].map((entries) => entries.at(-1)?.leavesAtMs ?? 0);
    this.#entries = null;
    await this.#cleanUp.run(Math.max(0, ...ends));
  }

  /**
   * Creates the table if it is missing, and reads the windows. Its key is the window and the time, so expiry scans
   * nothing.
   */
  #load(): Map<string, WindowEntry[]> {
    if (this.#entries) return this.#entries;
    const { sql } = this.ctx.storage;
    sql.exec(
      `CREATE TABLE IF NOT EXISTS windows (name TEXT, leaves_at INTEGER, units INTEGER NOT NULL,
        PRIMARY KEY (name, leaves_at)) WITHOUT ROWID`,
    );
    const rows = sql.exec<{ name: string; leavesAtMs: number; units: number }>(
      "SELECT name, leaves_at AS leavesAtMs, units FROM windows ORDER BY name, leaves_at",
    );
    this.#entries = Map.groupBy(rows, ({ name }) => name);
    return this.#entries;
  }

  /** Stores the entries in `changed`, found by the time at which they leave, and deletes those that have left. */
  #save(window: string, entries: WindowEntry[], changed: readonly { leavesAtMs: number }[], nowMs: number): void {
    const { sql } = this.ctx.storage;
    if ((this.#load().get(window)?.[0]?.leavesAtMs ?? Infinity) <= nowMs)
      sql.exec("DELETE FROM windows WHERE name = ? AND leaves_at <= ?", window, nowMs);
    for (const { leavesAtMs } of changed) {
      const entry = entries.findLast((one) => one.leavesAtMs === leavesAtMs);
      const values = "INSERT OR REPLACE INTO windows (name, leaves_at, units) VALUES (?, ?, ?)";
      if (entry) sql.exec(values, window, leavesAtMs, entry.units);
    }
    this.#load().set(window, entries);
  }

  /** Returns how many of `units` may be used ahead of need, and leases them. */
  #grantAhead(rule: Rule, window: string, units: number, nowMs: number): number {
    this.#leases = this.#leases.filter((lease) => lease.endsAtMs > nowMs);
    const leased = this.#leases.reduce((sum, lease) => sum + (lease.window === window ? lease.units : 0), 0);
    const granted = Math.max(0, Math.min(units, maxLeasedUnits(rule) - leased));
    if (granted > 0) this.#leases.push({ window, endsAtMs: nowMs + leaseMs(rule), units: granted });
    return granted;
  }
}
