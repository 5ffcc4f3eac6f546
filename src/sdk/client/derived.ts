/** Types that are made from the generated ones. */
import type { HourlyStats, ReplayRequest } from "./generated";

/** Ended attempts, and how long they took. */
export type AttemptStats = Omit<HourlyStats, "hour">;

/** Which events to count or to send again. */
export type ReplayPeriod = Omit<ReplayRequest, "ratePerMinute" | "dryRun">;

/** A replay to start. */
export type NewReplay = Omit<ReplayRequest, "dryRun">;
