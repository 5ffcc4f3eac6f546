/** Counts and latency of delivery attempts, per hour. */

import type { Call, CallOptions } from "./call";
import type { HourlyStats, TenantStats } from "./generated";
import { query } from "./path";

/** Ended attempts, and how long they took. */
export type AttemptStats = Omit<HourlyStats, "hour">;

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
