/** A simulated clock: tasks run one after the other, in the order of their times. Times are Unix ms. */

interface Entry {
  timeMs: number;
  task: () => Promise<void>;
}

export class Agenda {
  nowMs: number;
  readonly #entries: Entry[] = [];

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  /** Plans a task. A time that has passed means now. */
  at(timeMs: number, task: () => Promise<void>): void {
    const later = this.#entries.findIndex((entry) => entry.timeMs > timeMs);
    this.#entries.splice(later < 0 ? this.#entries.length : later, 0, { timeMs, task });
  }

  /** Runs all tasks, including those that are planned by tasks. Fails with the first task that fails. */
  async run(): Promise<void> {
    for (let entry = this.#entries.shift(); entry; entry = this.#entries.shift()) {
      this.nowMs = Math.max(this.nowMs, entry.timeMs);
      await entry.task();
    }
  }
}
