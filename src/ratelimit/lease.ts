/** The units of one limit that an isolate has leased from the Durable Object, so that a request seldom has to wait for it. */
import type { Demand, Grant } from "./durable-object";
import { blockUnits, leaseMs, type Rule } from "./rules";
import type { Verdict, WindowEntry } from "./window";

/** A refill that takes longer is taken for lost: its request may have been cancelled. */
const MAX_REFILL_MS = 5_000;

/** Units that this isolate may use until the lease ends. */
interface Block extends WindowEntry {
  endsAtMs: number;
}

const sumOf = (entries: readonly WindowEntry[]) => entries.reduce((sum, { units }) => sum + units, 0);

/** How a request reaches the Durable Object. */
export interface Access {
  consume(demand: Demand): Promise<Grant>;
  background(what: string, work: Promise<unknown>): void;
  nowMs: number;
}

/**
 * No request waits for another one's call: a request that is cancelled would take the others with it. So each that finds too few units
 * makes its own call, and only a refill ahead of need is shared, because nobody waits for it.
 */
export class Lease {
  /** Oldest first. */
  #blocks: Block[] = [];
  /** Units of ended leases, to be given back with the next call. */
  #unused: WindowEntry[] = [];
  #refillEndsAtMs = 0;
  /** What the Durable Object answered last. */
  #remaining = 0;
  #resetAtMs = 0;
  /** So many units are refused without a call until this time: nothing leaves the window before. */
  #refused = { units: 0, untilMs: 0 };

  constructor(private readonly rule: Rule) {}

  /** Consumes `units`, from what is held if that is enough. */
  async consume(units: number, access: Access): Promise<Verdict> {
    const { nowMs } = access;
    this.#endLeases(nowMs);
    if (this.#held() >= units) {
      const taken = this.#take(units);
      if (this.#held() < blockUnits(this.rule) / 2) this.#refill(access);
      return this.#allowance(taken, nowMs);
    }
    if (nowMs < this.#refused.untilMs && units >= this.#refused.units) return this.#refusal(nowMs);
    const taken = this.#take(this.#held());
    const grant = await this.#call(units - sumOf(taken), access);
    if (grant.allowed) return this.#allowance([grant], nowMs);
    for (const entry of taken) this.giveBack(entry);
    // Parallel calls may have brought the last units here.
    if (this.#held() >= units) return this.#allowance(this.#take(units), nowMs);
    this.#refused = { units, untilMs: nowMs + grant.resetMs };
    return this.#refusal(nowMs);
  }

  /** Takes back units that `consume` gave out and that were not used. */
  giveBack(unused: WindowEntry): void {
    const block = this.#blocks.find(({ leavesAtMs }) => leavesAtMs === unused.leavesAtMs);
    if (block) block.units += unused.units;
    else this.#unused.push(unused);
    this.#refused = { units: 0, untilMs: 0 };
  }

  #held = () => sumOf(this.#blocks);

  /** Takes held units, the oldest first. */
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

  #refill(access: Access): void {
    if (access.nowMs < this.#refillEndsAtMs) return;
    this.#refillEndsAtMs = access.nowMs + MAX_REFILL_MS;
    const refill = this.#call(0, access).finally(() => {
      this.#refillEndsAtMs = 0;
    });
    access.background("rate limit refill", refill);
  }

  async #call(units: number, access: Access): Promise<Grant> {
    const ahead = Math.max(0, blockUnits(this.rule) - this.#held());
    const unused = this.#unused;
    this.#unused = [];
    const grant = await access.consume({ units, ahead, unused });
    const { leavesAtMs } = grant;
    if (grant.ahead > 0)
      this.#blocks.push({ leavesAtMs, units: grant.ahead, endsAtMs: access.nowMs + leaseMs(this.rule) });
    this.#remaining = grant.remaining;
    this.#resetAtMs = access.nowMs + grant.resetMs;
    return grant;
  }

  #refusal = (nowMs: number): Verdict => ({
    allowed: false,
    limit: this.rule.limit,
    remaining: this.#remaining + this.#held(),
    resetMs: this.#refused.untilMs - nowMs,
    leavesAtMs: nowMs,
  });

  #allowance = (taken: readonly { leavesAtMs: number }[], nowMs: number): Verdict => ({
    allowed: true,
    limit: this.rule.limit,
    remaining: this.#remaining + this.#held(),
    resetMs: this.#resetAtMs - nowMs,
    leavesAtMs: taken.at(-1)?.leavesAtMs ?? nowMs,
  });
}
