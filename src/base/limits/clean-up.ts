/** Deletes what a Durable Object has stored, once nothing depends on it. */

/** The alarm of one object. It is never moved: if it fires early, it sets the next one. */
export class CleanUp {
  readonly #storage: DurableObjectStorage;
  /** Whether an alarm is set; undefined until it has been looked up. */
  #hasAlarm: boolean | undefined;

  constructor({ storage }: DurableObjectState) {
    this.#storage = storage;
  }

  /** Sets the alarm to `timeMs` (Unix ms), unless one is set. */
  async setAlarm(timeMs: number): Promise<void> {
    this.#hasAlarm ??= (await this.#storage.getAlarm()) !== null;
    if (this.#hasAlarm) return;
    this.#hasAlarm = true;
    await this.#storage.setAlarm(timeMs);
  }

  /**
   * What the alarm does: deletes everything, unless something depends on it until `endMs` (Unix ms) in the future. The
   * object must have forgotten what it deletes: calls that come meanwhile begin anew.
   */
  async run(endMs: number): Promise<void> {
    this.#hasAlarm = false;
    if (endMs > Date.now()) await this.setAlarm(endMs);
    else await this.#storage.deleteAll();
  }
}
