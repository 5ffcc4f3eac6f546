/** What the loop of a run waits for: a change, or a time at which it looks again even if nothing has changed. */
export class Changes {
  #change = Promise.withResolvers<void>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** When the timer lets the loop go on, Unix ms. */
  #timerMs = Infinity;

  /** Something has changed. */
  wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  /** Resolves at the next change, or at `timeMs`. A timer that is set for an earlier time stays. */
  async next(timeMs = Infinity, nowMs = 0): Promise<void> {
    if (timeMs < this.#timerMs) {
      clearTimeout(this.#timer);
      this.#timerMs = timeMs;
      const onTime = () => {
        this.#timerMs = Infinity;
        this.wake();
      };
      this.#timer = setTimeout(onTime, timeMs - nowMs);
    }
    await this.#change.promise;
  }

  /** Ends the timer. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timerMs = Infinity;
  }
}
