/**
 * The units of one limit that an isolate has leased from the Durable Object, so that requests seldom wait for that
 * object.
 */
import type { Grant, UnitDemand } from "./durable-object";
import { blockUnits, leaseMs, type Rule } from "./rules";
import type { LimitVerdict, WindowEntry } from "./window";

/** A call that takes longer counts as lost, because its request may have been cancelled. */
const MAX_CALL_MS = 5_000;

/** Units that this isolate may use until the lease ends. */
interface Block extends WindowEntry {
  leasedUnits: number;
  endsAtMs: number;
}

/** How a request reaches the Durable Object. */
export interface LimiterAccess {
  consume(demand: UnitDemand): Promise<Grant>;
  background(what: string, work: Promise<unknown>): void;
  nowMs: number;
}

/**
 * No request waits for another request's call, because a cancelled request would take the others with it. So each
 * request that finds too few units makes its own call. Only a refill ahead of need is shared, because nobody waits for
 * it.
 */
export class Lease {
  /** Oldest first. */
  #blocks: Block[] = [];
  /** Units of ended leases, to be given back with the next call. */
  #unused: WindowEntry[] = [];
  /** Until this time (Unix ms) a call is leasing a block, and no second call does so. */
  #leasingUntilMs = 0;
  /** The last answer of the Durable Object. */
  #remaining = 0;
  #resetAtMs = 0;
  /** Until this time, this many units or more are refused without a call, because nothing leaves the window earlier. */
  #refused = { units: 0, untilMs: 0 };

  constructor(private readonly rule: Rule) {}

  /** Consumes `units`, from one of its blocks if it has enough. */
  async consume(units: number, access: LimiterAccess): Promise<LimitVerdict> {
    const { nowMs } = access;
    this.#endLeases(nowMs);
    const block = this.#blocks.find((candidate) => candidate.units >= units);
    if (block) {
      block.units -= units;
      const isRefill = this.#left() < blockUnits(this.rule) / 2 && nowMs >= this.#leasingUntilMs;
      if (isRefill) access.background("rate limit refill", this.#call(0, access));
      return this.#verdict(true, nowMs, block.leavesAtMs);
    }
    if (nowMs < this.#refused.untilMs && units >= this.#refused.units) return this.#verdict(false, nowMs);
    // What is leased goes back with the call, because all units of a request must leave the window together.
    this.#endLeases(nowMs, Infinity);
    const grant = await this.#call(units, access);
    if (grant.allowed) return this.#verdict(true, nowMs, grant.leavesAtMs);
    // Parallel calls may have leased the last units.
    const left = this.#left();
    if (left > 0 && left + grant.remaining >= units) return this.consume(units, access);
    this.#refused = { units, untilMs: nowMs + grant.resetMs };
    return this.#verdict(false, nowMs);
  }

  /**
   * Takes back units that `consume` gave out and that were not used: into the block that they came from. Units that
   * were never leased go back to the Durable Object.
   */
  async giveBack({ leavesAtMs, units }: WindowEntry, access: LimiterAccess): Promise<void> {
    this.#endLeases(access.nowMs);
    const block = this.#blocks.find((candidate) => candidate.leavesAtMs === leavesAtMs);
    const kept = block ? Math.min(units, block.leasedUnits - block.units) : 0;
    if (block) block.units += kept;
    if (units > kept) this.#unused.push({ leavesAtMs, units: units - kept });
    this.#refused = { units: 0, untilMs: 0 };
    if (this.#unused.length > 0) await this.#call(0, access);
  }

  #left = () => this.#blocks.reduce((sum, { units }) => sum + units, 0);

  /** Ends the leases of blocks that end by `byMs`. */
  #endLeases(nowMs: number, byMs = nowMs): void {
    const ended = this.#blocks.filter(({ endsAtMs }) => endsAtMs <= byMs);
    this.#blocks = this.#blocks.filter(({ endsAtMs }) => endsAtMs > byMs);
    const left = ended.map(({ leavesAtMs, units }) => ({ leavesAtMs, units }));
    this.#unused = [...this.#unused, ...left].filter(({ leavesAtMs, units }) => leavesAtMs > nowMs && units > 0);
  }

  async #call(units: number, access: LimiterAccess): Promise<Grant> {
    const leases = access.nowMs >= this.#leasingUntilMs;
    const ahead = leases ? Math.max(0, blockUnits(this.rule) - this.#left()) : 0;
    if (leases) this.#leasingUntilMs = access.nowMs + MAX_CALL_MS;
    const unused = this.#unused;
    this.#unused = [];
    try {
      const grant = await access.consume({ units, ahead, unused });
      const { leavesAtMs } = grant;
      const endsAtMs = access.nowMs + leaseMs(this.rule);
      if (grant.ahead > 0) this.#blocks.push({ leavesAtMs, units: grant.ahead, leasedUnits: grant.ahead, endsAtMs });
      this.#remaining = grant.remaining;
      this.#resetAtMs = access.nowMs + grant.resetMs;
      return grant;
    } finally {
      if (leases) this.#leasingUntilMs = 0;
    }
  }

  #verdict = (allowed: boolean, nowMs: number, leavesAtMs = nowMs): LimitVerdict => ({
    allowed,
    limit: this.rule.limit,
    remaining: this.#remaining + this.#left(),
    resetMs: (allowed ? this.#resetAtMs : this.#refused.untilMs) - nowMs,
    leavesAtMs,
  });
}
