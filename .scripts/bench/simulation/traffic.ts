/**
 * The traffic of the simulation: a sample of the day that the service is designed for, 1,000 deliveries per second on
 * 16 databases.
 */

export const DELIVERIES_PER_SECOND = 1_000;
export const SHARDS = 16;
export const RETENTION_DAYS = 30;
/** In each hour this many seconds are simulated at the full rate, and nothing is published in the rest of it. */
export const SECONDS_PER_HOUR = 3.6;
/** How much smaller the sample is than the day. */
export const SAMPLE = 3_600 / SECONDS_PER_HOUR;

export const TENANTS_PER_SHARD = 4;
export const SUBSCRIPTIONS_PER_TENANT = 50;
/** Kinds of events: how many subscriptions receive one, and the share of events that are of this kind. */
export const EVENT_KINDS = [
  { width: 1, share: 0.7 },
  { width: 5, share: 0.25 },
  { width: 50, share: 0.05 },
] as const;
const DELIVERIES_PER_EVENT = EVENT_KINDS.reduce((sum, { width, share }) => sum + width * share, 0);
export const EVENTS_PER_SECOND = DELIVERIES_PER_SECOND / SHARDS / DELIVERIES_PER_EVENT;
export const PAYLOAD_BYTES = 300;

/** How subscribers answer: one subscription of each shard always with 500, the rest rarely. */
export const FAILING_SHARE = 0.02;
export const isDead = (subscriptionId: string): boolean => Number.parseInt(subscriptionId.slice(-12), 16) === 7;
/** An answer takes this long, plus an exponentially distributed time. */
export const MIN_ANSWER_MS = 30;
export const MEAN_EXTRA_ANSWER_MS = 80;

/**
 * A model of the platform. D1 runs one statement after the other: about 1,000 calls per second, and 20,000 rows per
 * second.
 */
export const D1_CALL_MS = 1;
export const D1_ROW_MS = 0.05;
/** The round trip between a Worker and its database. */
export const D1_NETWORK_MS = 10;
export const MESSAGE_MS = 20;
/** How many messages get lost. The sweep replaces them. */
export const LOST_MESSAGES_SHARE = 0.001;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");

export const tenantId = (shard: number, tenant: number): string =>
  `01900000-0000-7000-8${hex(shard, 3)}-${hex(tenant, 12)}`;
export const subscriptionId = (shard: number, tenant: number, number: number): string =>
  `01900000-0001-7000-8${hex(shard, 3)}-${hex(tenant * SUBSCRIPTIONS_PER_TENANT + number, 12)}`;

/** The type of an event of one kind. Events to one subscription have a type for each. */
export const eventType = (width: number, number: number): string => (width === 1 ? `to-1-${number}` : `to-${width}`);
