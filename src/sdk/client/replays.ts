/** Replays: sending the events of a period to a subscription again. */
import type { CallOptions } from "./call";
import type { ReplayRequest } from "./generated";

/** Which events to count or to send again. */
export type ReplayPeriod = Omit<ReplayRequest, "ratePerMinute" | "dryRun">;

/** A replay to start. */
export type NewReplay = Omit<ReplayRequest, "dryRun">;

/** Options of `client.webhooks.replay`. */
export interface ReplayOptions extends CallOptions {
  /**
   * 1 to 255 printable ASCII characters. For 24 hours the same key with the same body returns the first replay and
   * starts no other.
   */
  idempotencyKey?: string | undefined;
}

/** Options of `client.webhooks.replays`. */
export interface ReplayListOptions extends CallOptions {
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
}
