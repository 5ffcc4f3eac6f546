/**
 * The faults of one schedule, at the platform's edge. Each remote call of each kind may fail once before its effect,
 * once after it, and once take two seconds; a database may be down for a while; an invocation may be killed at a call.
 */
import { type Invocation, invocationNow, never } from "./invocation";
import type { QueueManners } from "./lossy-queue";
import type { Random } from "./random";
import type { VirtualClock } from "./virtual-clock";

export const FAULTS = ["before", "after", "slow"] as const;
export type Fault = (typeof FAULTS)[number];

const SLOW_MS = 2_000;
const FOCUS_RATE = 0.5;
/** The platform lets an invocation make so many calls to D1. */
const MAX_DATABASE_CALLS = 1_000;

/** How many subscribers there are, what all of them do, and how many events come at once. */
export interface Crowd {
  subscribers: number;
  behaviour: string;
  events: number;
}

/** D1's messages when it fails for a moment. */
const D1_ERRORS = [
  "D1_ERROR: Network connection lost.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: database is locked: SQLITE_BUSY",
] as const;

export interface FaultPlan {
  /** When the schedule begins, Unix ms. */
  startMs: number;
  /** When the minute cron comes for the first time, in ms from the start. */
  cronAfterMs: number;
  /** By how much the sweeper's alarms are late, at most. */
  alarmLateMs: number;
  /** The call that this schedule is about: all of its faults happen early. */
  focus: string;
  /** More simultaneous deliveries than can be sent at once; null in most schedules. */
  crowd: Crowd | null;
  /** The probability of each fault at the other calls that this schedule has picked. */
  rate: number;
  /**
   * Calls until an invocation is killed, whether that call has its effect, and whether only calls of consumers count.
   */
  kills: { afterCalls: number; hasEffect: boolean; ofConsumers: boolean }[];
  /** Whether no call reaches the rate limiter. */
  isLimiterDown: boolean;
  /** When the database is down, Unix ms, and what it says then; without that, it fails as it does for a moment. */
  outages: { fromMs: number; toMs: number; error?: string }[];
  /** How long an answer takes, at most. */
  latencyMs: number;
  queues: QueueManners;
}

/** How often each fault has happened to each kind of call, over all schedules. */
export type Coverage = Map<string, Map<Fault | "none", number>>;

export class Faults {
  /** What happened, for the message of a failure. */
  readonly history: string[] = [];
  readonly #rates = new Map<string, number>();
  readonly #used = new Set<string>();
  readonly #kills: FaultPlan["kills"];

  constructor(
    private readonly random: Random,
    private readonly clock: VirtualClock,
    private readonly plan: FaultPlan,
    private readonly coverage: Coverage,
  ) {
    this.#kills = plan.kills.map((kill) => ({ ...kill }));
  }

  /** Whether the database was down for long, so that what was sent between these moments may not be recorded. */
  wasDownLong(fromMs: number, toMs: number, longMs: number): boolean {
    return this.plan.outages.some(
      (outage) => outage.toMs - outage.fromMs >= longMs && outage.fromMs < toMs && outage.toMs > fromMs,
    );
  }

  /** Makes a remote call to the platform with the faults that the seed chooses. The clock stands still meanwhile. */
  real<T>(name: string, effect: () => Promise<T>, errors?: readonly [string, ...string[]]): Promise<T> {
    return this.call(name, () => this.clock.hold(effect), errors);
  }

  /** Makes a remote call whose duration passes on the clock. `errors` are the messages that it fails with. */
  async call<T>(name: string, effect: () => Promise<T>, errors?: readonly [string, ...string[]]): Promise<T> {
    const invocation = invocationNow();
    if (!invocation) return this.#withFaults(name, effect, errors);
    const { unanswered, answered } = invocation;
    const add = (calls: number) => unanswered.set(name, (unanswered.get(name) ?? 0) + calls);
    add(1);
    if (errors === undefined) invocation.databaseCalls += 1;
    // A request to a subscriber keeps its connection until the answer: see `faultyFetch`.
    const close = name === "fetch" ? () => undefined : await invocation.connect();
    try {
      if (invocation.databaseCalls > MAX_DATABASE_CALLS)
        throw new Error("Too many API requests by single Worker invocation.");
      return await this.#withFaults(name, effect, errors);
    } finally {
      close();
      add(-1);
      answered.add(name);
    }
  }

  async #withFaults<T>(
    name: string,
    effect: () => Promise<T>,
    errors: readonly [string, ...string[]] = D1_ERRORS,
  ): Promise<T> {
    const invocation = invocationNow();
    if (invocation?.isDead) return never();
    const kill = invocation && this.#nextKill(invocation);
    if (kill) {
      this.note(`${invocation.name} killed ${kill.hasEffect ? "after" : "before"} ${name}`);
      if (kill.hasEffect) await effect().catch(() => undefined);
      invocation.kill();
      return never();
    }
    const outage = errors === D1_ERRORS ? this.#outage() : undefined;
    if (outage) throw this.#error(name, "down", outage.error === undefined ? errors : [outage.error]);
    if (this.plan.isLimiterDown && name.startsWith("RateLimiter")) throw this.#error(name, "down", errors);
    const fault = this.#draw(name);
    if (fault === "before") throw this.#error(name, fault, errors);
    const isLateToStart = fault === "slow" && this.random.chance(0.5);
    if (fault === "slow") this.note(`${name} slow ${isLateToStart ? "to start" : "to answer"}`);
    if (isLateToStart) await this.clock.wait(SLOW_MS);
    if (invocation?.isDead) return never();
    const answer = await effect();
    await this.clock.wait(fault === "slow" && !isLateToStart ? SLOW_MS : this.random.between(0, this.plan.latencyMs));
    if (invocation?.isDead) return never();
    if (fault === "after") throw this.#error(name, fault, errors);
    return answer;
  }

  #nextKill({ name }: Invocation): FaultPlan["kills"][number] | undefined {
    const [next] = this.#kills;
    if (!next || (next.ofConsumers && name !== "consumer")) return undefined;
    next.afterCalls -= 1;
    return next.afterCalls < 0 ? this.#kills.shift() : undefined;
  }

  #outage = () => this.plan.outages.find(({ fromMs, toMs }) => fromMs <= this.clock.nowMs && this.clock.nowMs < toMs);

  /** Some kinds of calls fail in this schedule and others do not, so that faults meet in many ways. */
  #draw(name: string): Fault | undefined {
    const rate =
      name === this.plan.focus
        ? FOCUS_RATE
        : (this.#rates.get(name) ?? this.random.pick([0, 0.3, 1, 4]) * this.plan.rate);
    this.#rates.set(name, rate);
    const fault = this.random
      .shuffle(FAULTS)
      .find((one) => this.random.chance(rate) && !this.#used.has(`${name} ${one}`));
    if (fault) this.#used.add(`${name} ${fault}`);
    const counts = this.coverage.get(name) ?? new Map<Fault | "none", number>();
    this.coverage.set(name, counts.set(fault ?? "none", (counts.get(fault ?? "none") ?? 0) + 1));
    return fault;
  }

  #error(name: string, fault: string, errors: readonly [string, ...string[]]): Error {
    const error = Object.assign(new Error(this.random.pick(errors)), { retryable: true });
    this.note(`${name} fails, ${fault}: ${error.message}`);
    return error;
  }

  /** Adds a line to the history. */
  note(what: string): void {
    this.history.push(`${(this.clock.nowMs - this.plan.startMs) / 1000} s: ${what}`);
  }
}
