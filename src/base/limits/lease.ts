/**
 * The units of one limit that an isolate has leased from the Durable Object, so that requests seldom wait for that
 * object.
 */

import { Allowance } from "./allowance";
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

  readonly #allowance: Allowance;

  constructor(private readonly rule: Rule) {
    this.#allowance = new Allowance(rule);
  }

  /** Consumes `units`, from one of its blocks if it has enough, or from its allowance. */
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
    const leavesAtMs = this.#allowance.take(units, nowMs);
    if (leavesAtMs !== null) return this.#verdictOfAllowance(nowMs, leavesAtMs);
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
    if (this.#allowance.takeBack({ leavesAtMs, units })) return;
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
    const untold = this.#allowance.tell();
    let isTold = false;
    try {
      const grant = await access.consume({ units: units + untold, ahead, unused });
      isTold = grant.allowed;
      const { leavesAtMs } = grant;
      const endsAtMs = access.nowMs + leaseMs(this.rule);
      if (grant.ahead > 0) this.#blocks.push({ leavesAtMs, units: grant.ahead, leasedUnits: grant.ahead, endsAtMs });
      this.#remaining = grant.remaining;
      this.#resetAtMs = access.nowMs + grant.resetMs;
      return grant;
    } finally {
      if (leases) this.#leasingUntilMs = 0;
      if (!isTold) this.#allowance.keep(untold);
    }
  }

  /** Until the Durable Object has answered, the isolate knows only of what it has used itself. */
  #verdictOfAllowance(nowMs: number, leavesAtMs: number): LimitVerdict {
    const { limit } = this.rule;
    const isAsked = nowMs < this.#resetAtMs;
    const resetMs = (isAsked ? this.#resetAtMs : leavesAtMs) - nowMs;
    const remaining = (isAsked ? this.#remaining + this.#left() : limit) - this.#allowance.untold;
    return { allowed: true, limit, remaining: Math.max(0, remaining), resetMs, leavesAtMs };
  }

  #verdict = (allowed: boolean, nowMs: number, leavesAtMs = nowMs): LimitVerdict => ({
    allowed,
    limit: this.rule.limit,
    remaining: Math.max(0, this.#remaining + this.#left() - this.#allowance.untold),
    resetMs: (allowed ? this.#resetAtMs : this.#refused.untilMs) - nowMs,
    leavesAtMs,
  });
}
