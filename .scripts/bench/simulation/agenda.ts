/**
 * A simulated clock: tasks run one after the other, in the order of their times. Times are Unix ms. A process is work
 * that waits on this clock while tasks and other processes run.
 */

interface Entry {
  timeMs: number;
  task: () => Promise<void>;
}

export class Agenda {
  nowMs: number;
  readonly #entries: Entry[] = [];
  /** Ends the turn of the process that runs: it waits or has ended. */
  #endTurn: () => void = () => undefined;
  /** Of a process. */
  #failure: { error: unknown } | null = null;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  /** Plans a task. A time that has passed means now. */
  at(timeMs: number, task: () => Promise<void>): void {
    const later = this.#entries.findIndex((entry) => entry.timeMs > timeMs);
    this.#entries.splice(later < 0 ? this.#entries.length : later, 0, { timeMs, task });
  }

  /** Plans a process, which waits only by `waitUntil`. If it fails, so does the agenda. */
  start(timeMs: number, process: () => Promise<void>): void {
    const goOn = () => {
      void process()
        .catch((error: unknown) => {
          this.#failure = { error };
        })
        .finally(() => this.#endTurn());
    };
    this.at(timeMs, () => this.#turn(goOn));
  }

  /** Only for a process. Resolves when the clock has come to a time. */
  async waitUntil(timeMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.at(timeMs, () => this.#turn(resolve));
    this.#endTurn();
    await promise;
  }

  /** Runs all tasks, including those that are planned by tasks. Fails with the first task that fails. */
  async run(): Promise<void> {
    for (let entry = this.#entries.shift(); entry; entry = this.#entries.shift()) {
      this.nowMs = Math.max(this.nowMs, entry.timeMs);
      await entry.task();
      if (this.#failure) throw this.#failure.error;
    }
  }

  /** Lets a process go on until it waits again or ends. */
  #turn(goOn: () => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endTurn = resolve;
    goOn();
    return promise;
  }
}
