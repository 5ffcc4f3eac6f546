/** Counts and latency of delivery attempts, per hour. */
import type { Call, CallOptions } from "./call";
import { query } from "./path";
import type { Timestamp } from "./types";

/** Ended attempts, and how long they took. */
export interface AttemptStats {
  success: number;
  failed: number;
  /** The median latency in milliseconds, from a histogram; null when nothing was sent. */
  p50Ms: number | null;
  /** The 95th percentile in milliseconds, at most 10,000; null when nothing was sent. */
  p95Ms: number | null;
}

/** The attempts of one hour. */
export interface HourlyStats extends AttemptStats {
  /** When the hour began. */
  hour: Timestamp;
}

/** The attempts of one subscription, in total and per hour. */
export interface SubscriptionStats extends AttemptStats {
  /** Attempts in flight now. */
  pending: number;
  /** `success`, `failed` and `pending` together. */
  total: number;
  /** One entry an hour, oldest first, hours without attempts included. */
  hours: HourlyStats[];
}

/** A subscription that an operator should look at. */
export interface AttentionItem {
  webhookId: string;
  name: string;
  /**
   * `failing`: its last attempt failed; `slow`: it has recently taken long to answer; `paused`: it is disabled. The
   * worst that applies.
   */
  reason: "failing" | "paused" | "slow";
  /** False while it is paused, whatever the reason says. */
  enabled: boolean;
  /** Failed attempts since the last success. */
  failureCount: number;
  /** Why its last attempt failed. */
  error?: string | undefined;
}

/** The attempts of all subscriptions of the tenant. */
export interface TenantStats extends SubscriptionStats {
  /** Subscriptions to look at: the worst 20, worst first. */
  attention: AttentionItem[];
}

/** Options of `client.stats.get` and `client.webhooks.stats`. */
export interface StatsOptions extends CallOptions {
  /** How many hours back, the current one included: 1 to 168; 24 unless given. */
  hours?: number | undefined;
}

/**
 * `client.stats`.
 *
 * @example
 * const { success, failed, attention } = await client.stats.get({ hours: 24 });
 */
export interface StatsMethods {
  /** Returns the tenant's attempts, and the subscriptions that need attention. Throws FORBIDDEN, VALIDATION_FAILED. */
  get(options?: StatsOptions): Promise<TenantStats>;
}

export const statsMethods = (call: Call): StatsMethods => ({
  get: ({ hours, ...options } = {}) => call.data(`GET /stats${query({ hours })}`, options),
});
