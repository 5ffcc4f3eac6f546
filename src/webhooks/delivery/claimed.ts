/** A delivery that a run has claimed and holds until it is sent or handed back. */
import type { ClaimedDelivery } from "./claim-store";

export interface Claimed extends ClaimedDelivery {
  shard: number;
  /** When its subscription was read, Unix ms. */
  readMs: number;
  /** A delivery that has not started by then (Unix ms) is handed back. */
  startByMs: number;
  /** When it may start, Unix ms: 0 for at once, Infinity while that is not known. */
  startMs: number;
  /** Subtracts its payload from the bytes that the isolate holds. */
  releaseBytes: () => void;
}
