/** The platform of one schedule: its clock, its bindings with faults, and the invocations of the Worker. */
import { vi } from "vitest";
import { createDeps, type Deps } from "../../../src/base/deps";
import { consume } from "../../../src/queue";
import { startSweepers } from "../../../src/service/upkeep/start";
import { faultyEnv, faultyFetch, type Receiver, type Sent } from "./bindings";
import { type Coverage, type FaultPlan, Faults } from "./faults";
import { ended, type Invocation, invocationNow, newInvocation, runIn } from "./invocation";
import { LossyQueues } from "./lossy-queue";
import type { Random } from "./random";
import { sweeperNamespace } from "./sweeper-object";
import { VirtualClock } from "./virtual-clock";

const MINUTE_MS = 60_000;

export class World {
  readonly sent: Sent[] = [];
  /** What the engine did that the platform does not allow. */
  readonly wrongs: string[] = [];
  readonly clock: VirtualClock;
  readonly faults: Faults;
  readonly queues: LossyQueues;
  readonly #env: Env;
  readonly #live = new Set<Invocation>();

  constructor(
    readonly database: D1Database,
    readonly random: Random,
    readonly plan: FaultPlan,
    coverage: Coverage,
    readonly receiver?: Receiver,
  ) {
    this.clock = new VirtualClock(plan.startMs);
    this.faults = new Faults(random, this.clock, plan, coverage);
    this.queues = new LossyQueues(random, this.clock, this.faults, plan.queues, (batch) => this.#consume(batch));
    this.#env = faultyEnv(this.faults, database, {
      DELIVERY_QUEUE: this.queues.fast,
      SLOW_DELIVERY_QUEUE: this.queues.slow,
    });
  }

  /** Takes the platform's place until `close`, and starts the minute cron. */
  async open(): Promise<void> {
    const lateMs = () => this.random.between(0, this.plan.alarmLateMs);
    this.#env.SWEEPER = await sweeperNamespace(this.clock, this.faults, this.#env, lateMs, (name, work) =>
      this.invoke(name, work),
    );
    this.clock.install();
    vi.stubGlobal(
      "fetch",
      faultyFetch(this.faults, this.sent, (ms) => this.clock.wait(ms), this.#held(this.receiver)),
    );
    vi.spyOn(Math, "random").mockImplementation(() => this.random.next());
    vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => fill(array, this.random));
    for (const level of ["log", "warn", "error"] as const) {
      vi.spyOn(console, level).mockImplementation((line) => this.faults.note(String(line)));
    }
    this.clock.after(this.plan.cronAfterMs, () => this.#everyMinute());
  }

  /** The clock stands still while a receiver works. */
  #held(receiver?: Receiver): Receiver | undefined {
    return receiver && ((delivery) => this.clock.hold(() => receiver(delivery)));
  }

  close(): void {
    vi.restoreAllMocks();
    this.clock.uninstall();
  }

  /** True when no invocation runs and no message is under way. */
  get isIdle(): boolean {
    return this.#live.size === 0 && this.queues.isEmpty;
  }

  /** The invocations that have not ended, each with its calls that have no answer. */
  get unfinished(): string[] {
    return [...this.#live].map(({ name, unanswered }) => {
      const calls = [...unanswered].flatMap(([call, count]) => (count > 0 ? [call] : []));
      return `${name} (${calls.join(", ")})`;
    });
  }

  #everyMinute(): void {
    void this.invoke("cron", startSweepers);
    this.clock.after(MINUTE_MS, () => this.#everyMinute());
  }

  /** Runs `work` as an invocation. Null when it was killed before its handler ended; throws what the handler throws. */
  async invoke<T>(name: string, work: (deps: Deps) => Promise<T>): Promise<{ value: T } | null> {
    const invocation = newInvocation(name);
    this.#live.add(invocation);
    const context = { waitUntil: (promise: Promise<unknown>) => invocation.work.push(promise) };
    const handler = runIn(invocation, async () => work(await createDeps(this.#env, context)));
    invocation.work.push(handler);
    void ended(invocation).then(() => this.#live.delete(invocation));
    return Promise.race([handler.then((value) => ({ value })), invocation.killed.then(() => null)]);
  }

  /**
   * When the handler ends, its messages are acked, so that a claim that fails after that could not be retried. It does
   * not wait for a later claim, of what had no place at first: what such a claim fails to take is queued again.
   */
  async #consume(batch: MessageBatch): Promise<"ended" | "killed"> {
    const result = await this.invoke("consumer", async (deps) => {
      await consume(deps, batch);
      const { unanswered, answered } = invocationNow() ?? {};
      if (unanswered?.get("claimDeliveries") && !answered?.has("claimDeliveries"))
        this.wrongs.push("acked before its first claim has answered");
    });
    return result ? "ended" : "killed";
  }
}

/** Random bytes that the seed determines, so that ids have the same order each time. */
function fill<T extends ArrayBufferView | null>(array: T, random: Random): T {
  if (array) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (const index of bytes.keys()) bytes[index] = random.integer(0, 255);
  }
  return array;
}
