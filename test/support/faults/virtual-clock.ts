/**
 * A clock that stands still while a call waits for its answer, and then goes to the next timer at once. So two seconds
 * cost nothing, and a schedule with a seed runs the same way each time. It replaces the platform's `Date`, timers and
 * `scheduler.wait`.
 */
import { vi } from "vitest";
import { invocationNow, runIn } from "./invocation";

interface Timer {
  atMs: number;
  run: () => void;
}

export class VirtualClock {
  #nowMs: number;
  #lastId = 0;
  readonly #timers = new Map<number, Timer>();
  /** Resolves when all calls so far have answered. */
  #calls: Promise<void> = Promise.resolve();

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Takes the place of the platform's clock until `uninstall`. */
  install(): void {
    vi.useFakeTimers({ toFake: ["Date"], now: this.#nowMs });
    vi.stubGlobal("setTimeout", (run: () => void, ms = 0) => this.#ofInvocation(run, ms));
    vi.stubGlobal("clearTimeout", (id: number | null) => this.#timers.delete(id ?? 0));
    vi.stubGlobal("scheduler", { wait: (ms: number) => new Promise<void>((done) => this.#ofInvocation(done, ms)) });
  }

  uninstall(): void {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  }

  /** Calls `run` after so many ms, even if the invocation that asks for it has been killed. */
  after(ms: number, run: () => void): number {
    this.#lastId += 1;
    this.#timers.set(this.#lastId, { atMs: this.#nowMs + Math.max(0, Math.round(ms)), run });
    return this.#lastId;
  }

  wait(ms: number): Promise<void> {
    return new Promise((done) => this.after(ms, done));
  }

  /** A timer ends with the invocation that has set it. */
  #ofInvocation(run: () => void, ms: number): number {
    const invocation = invocationNow();
    return this.after(ms, () => {
      if (!invocation?.isDead) runIn(invocation, run);
    });
  }

  /**
   * Makes a real call, during which the clock stands still. Calls run one after the other, so that their order is
   * always the same.
   */
  async hold<T>(call: () => Promise<T>): Promise<T> {
    const before = this.#calls;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#calls = promise;
    await before;
    try {
      return await call();
    } finally {
      resolve();
    }
  }

  /** Goes from timer to timer until `isDone`. Throws when the clock would pass `deadlineMs`. */
  async run(isDone: () => boolean, deadlineMs: number): Promise<void> {
    for (;;) {
      await this.#quiet();
      if (isDone()) return;
      const nextMs = Math.min(...[...this.#timers.values()].map(({ atMs }) => atMs));
      if (nextMs === Infinity) throw new Error("nothing is left to wait for");
      if (nextMs > deadlineMs) throw new Error("the deadline has passed");
      this.jumpTo(nextMs);
      // A timer that is cleared by an earlier one of the same moment is no longer in the map when its turn comes.
      for (const [id, { atMs, run }] of this.#timers) {
        if (atMs !== nextMs) continue;
        this.#timers.delete(id);
        run();
      }
    }
  }

  jumpTo(timeMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, timeMs);
    vi.setSystemTime(this.#nowMs);
  }

  /**
   * Resolves when everything waits for the clock: all calls have been answered, and no further call has followed from
   * them.
   */
  async #quiet(): Promise<void> {
    for (;;) {
      const calls = this.#calls;
      await calls;
      await this.#turn();
      if (this.#calls === calls) return;
    }
  }

  /**
   * A stream of the platform answers when nothing else is left to do. Waiting with a timer would take a millisecond.
   */
  #turn(): Promise<string> {
    return new Response("turn").text();
  }
}
