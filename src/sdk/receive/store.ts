/** What remembers the deliveries that a receiver has handled, beside the receiver's own data. */

/** What names a delivery to a store. */
export interface Mark {
  /** Which of the receivers that share the store; each handles a delivery once. */
  receiver: string;
  /** The delivery's id, `webhook-id`. */
  id: string;
  /** The key by which its events are numbered, if they are. */
  orderKey?: string | undefined;
  /** The event's number within `orderKey`, from 1. */
  sequence?: number | undefined;
}

/** How a delivery ended: its effect was committed, it came late and was skipped, or it failed too often. */
export type MarkState = "handled" | "skipped" | "poison";

/** What a store knows about a mark. */
export interface Known {
  handled: boolean;
  /** The greatest sequence of the mark's `orderKey` that has ended; undefined before the first. */
  last: number | undefined;
  /** How often the handler failed. */
  failures: number;
  /** How often the delivery was told to wait for the one before it. */
  waits: number;
}

/** A try that did not commit: what the handler threw and the event, or that the delivery has to wait. */
export type Failure = { error?: string; event?: unknown } | { waited: true };

/**
 * Keeps marks where the handler's data is, so that both commit together. `Tx` is what the handler writes with. Every
 * method rejects if the store cannot be reached; the delivery then comes again.
 */
export interface Store<Tx> {
  /** Makes the store's tables where they are missing. */
  migrate(): Promise<void>;
  look(mark: Mark): Promise<Known>;
  /**
   * Calls `work` and commits what it wrote with the mark and its sequence, all or nothing. "duplicate": the mark was
   * there already, and nothing was written. Rejects, with nothing written, if `work` does.
   */
  commit(mark: Mark, work: (tx: Tx) => Promise<void>, state?: MarkState): Promise<"committed" | "duplicate">;
  /** Counts a failure or a wait, and returns both counts. */
  fail(mark: Mark, failure: Failure): Promise<{ failures: number; waits: number }>;
  /** Removes the mark and its failures, so that the delivery is handled when it is sent again. */
  forget(mark: Mark): Promise<void>;
  /** Removes marks and failures older than this many days, and returns how many marks. */
  prune(days: number): Promise<number>;
}
