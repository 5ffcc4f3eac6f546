/** A delivery that a run has claimed and holds until it is sent or handed back. */

import type { Start } from "../throttling/starts";
import type { ClaimedDelivery } from "./claim-store";

export interface Claimed extends ClaimedDelivery {
  shard: number;
  /** When its subscription was read, Unix ms. */
  readMs: number;
  claimedMs: number;
  /** Its start, if its subscription is limited. */
  start: Start | undefined;
  /** Subtracts its payload from the bytes that the isolate holds. */
  releaseBytes: () => void;
}
