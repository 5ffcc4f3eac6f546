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

const sumOf = (entries: readonly WindowEntry[]) => entries.reduce((sum, { units }) => sum + units, 0);

/** How a request reaches the Durable Object. */
export interface Access {
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

  /** Consumes `units`, from the held units if they are enough. */
  async consume(units: number, access: Access): Promise<LimitVerdict> {
    const { nowMs } = access;
    this.#endLeases(nowMs);
    if (this.#held() >= units) {
      const taken = this.#take(units);
      const isRefill = this.#held() < blockUnits(this.rule) / 2 && nowMs >= this.#leasingUntilMs;
      if (isRefill) access.background("rate limit refill", this.#call(0, access));
      return this.#verdict(true, nowMs, taken.at(-1)?.leavesAtMs);
    }
    if (nowMs < this.#refused.untilMs && units >= this.#refused.units) return this.#verdict(false, nowMs);
    const taken = this.#take(this.#held());
    const grant = await this.#call(units - sumOf(taken), access);
    if (grant.allowed) return this.#verdict(true, nowMs, grant.leavesAtMs);
    for (const entry of taken) this.#putBack(entry);
    // Parallel calls may have leased the last units.
    const held = this.#held();
    if (held > sumOf(taken) && held + grant.remaining >= units) return this.consume(units, access);
    this.#refused = { units, untilMs: nowMs + grant.resetMs };
    return this.#verdict(false, nowMs);
  }

  /** Takes back units that `consume` gave out and that were not used. */
  async giveBack(unused: WindowEntry, access: Access): Promise<void> {
    this.#endLeases(access.nowMs);
    this.#putBack(unused);
    this.#refused = { units: 0, untilMs: 0 };
    if (this.#unused.length > 0) await this.#call(0, access);
  }

  /**
   * Puts units back into the block that they came from. Units that were never held go back to the Durable Object with
   * the next call.
   */
  #putBack({ leavesAtMs, units }: WindowEntry): void {
    const block = this.#blocks.find((candidate) => candidate.leavesAtMs === leavesAtMs);
    const kept = block ? Math.min(units, block.leasedUnits - block.units) : 0;
    if (block) block.units += kept;
    if (units > kept) this.#unused.push({ leavesAtMs, units: units - kept });
  }

  #held = () => sumOf(this.#blocks);

  /** Takes held units, oldest first. */
  #take(units: number): WindowEntry[] {
    let left = units;
    const taken = this.#blocks.map((block) => {
      const part = Math.min(left, block.units);
      block.units -= part;
      left -= part;
      return { leavesAtMs: block.leavesAtMs, units: part };
    });
    return taken.filter((part) => part.units > 0);
  }

  #endLeases(nowMs: number): void {
    const ended = this.#blocks.filter(({ endsAtMs }) => endsAtMs <= nowMs);
    this.#blocks = this.#blocks.filter(({ endsAtMs }) => endsAtMs > nowMs);
    this.#unused.push(
      ...ended.filter(({ units }) => units > 0).map(({ leavesAtMs, units }) => ({ leavesAtMs, units })),
    );
    this.#unused = this.#unused.filter(({ leavesAtMs }) => leavesAtMs > nowMs);
  }

  async #call(units: number, access: Access): Promise<Grant> {
    const leases = access.nowMs >= this.#leasingUntilMs;
    const ahead = leases ? Math.max(0, blockUnits(this.rule) - this.#held()) : 0;
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
    remaining: this.#remaining + this.#held(),
    resetMs: (allowed ? this.#resetAtMs : this.#refused.untilMs) - nowMs,
    leavesAtMs,
  });
}
