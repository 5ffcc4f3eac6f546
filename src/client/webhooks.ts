/** Subscriptions, their operations, and publishing. */

import type { Call, CallOptions } from "./call";
import { segment } from "./segment";
import type {
  AttemptDetail,
  DeliveryAttempt,
  DeliveryCounts,
  FailedSince,
  NewEvent,
  NewSubscription,
  PublishedEvent,
  QueuedAgain,
  Subscription,
  SubscriptionChange,
  TenantStats,
  WebhookStats,
} from "./types";

/** A page of the log; `nextCursor` null: no more. */
export interface LogPage {
  data: DeliveryAttempt[];
  nextCursor: string | null;
}

export interface LogFilter {
  /** 1 to 100; 50. */
  limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
  status?: DeliveryAttempt["status"] | undefined;
  eventType?: string | undefined;
  /** ISO 8601: attempts that started then or later. */
  since?: string | undefined;
  /** ISO 8601: attempts that started before. */
  until?: string | undefined;
}

export function webhookMethods(call: Call) {
  const at = (id: string, rest = "") => `/webhooks/${segment(id)}${rest}`;
  return {
    create: (body: NewSubscription, options: CallOptions = {}) =>
      call.data<Subscription>("POST /webhooks", { ...options, body }),
    /** Newest first. */
    list: (options: CallOptions = {}) => call.data<Subscription[]>("GET /webhooks", options),
    get: (id: string, options: CallOptions = {}) => call.data<Subscription>(`GET ${at(id)}`, options),
    update: (id: string, body: SubscriptionChange, options: CallOptions = {}) =>
      call.data<Subscription>(`PATCH ${at(id)}`, { ...options, body }),
    delete: (id: string, options: CallOptions = {}) => call.message(`DELETE ${at(id)}`, options),
    /** The 50 newest attempts, newest first. */
    logs: (id: string, options: CallOptions = {}) => call.data<DeliveryAttempt[]>(`GET ${at(id, "/logs")}`, options),
    /** The log page by page, newest first; `nextCursor` null: no more. */
    logPage: (id: string, filter: LogFilter = {}, options: CallOptions = {}) =>
      call.answer<LogPage>(`GET ${at(id, `/logs${searchOf({ limit: 50, ...filter })}`)}`, options),
    /** One attempt with its headers and all attempts of its delivery. */
    attempt: (id: string, attemptId: string, options: CallOptions = {}) =>
      call.data<AttemptDetail>(`GET ${at(id, `/attempts/${segment(attemptId)}`)}`, options),
    stats: (id: string, { hours, ...options }: StatsOptions = {}) =>
      call.data<WebhookStats>(`GET ${at(id, `/stats${searchOf({ hours })}`)}`, options),
    metrics: (id: string, options: CallOptions = {}) => call.data<DeliveryCounts>(`GET ${at(id, "/metrics")}`, options),
    /** Queues the latest delivery again. NOT_FOUND when it has not failed. */
    retry: (id: string, options: CallOptions = {}) => call.message(`POST ${at(id, "/retry")}`, options),
    /** Queues one failed delivery again. */
    retryDelivery: (id: string, deliveryId: string, options: CallOptions = {}) =>
      call.message(`POST ${at(id, `/deliveries/${segment(deliveryId)}/retry`)}`, options),
    /** Queues again what failed since then, 500 deliveries a call; `nextCursor` leads to the rest. CONFLICT while paused. */
    retryFailed: (id: string, body: FailedSince, options: CallOptions = {}) =>
      call.answer<QueuedAgain>(`POST ${at(id, "/retry-failed")}`, { ...options, body }),
    /** Queues a `WebhookTested` delivery. */
    test: (id: string, options: CallOptions = {}) => call.message(`POST ${at(id, "/test")}`, options),
    pause: (id: string, options: CallOptions = {}) => call.message(`POST ${at(id, "/pause")}`, options),
    resume: (id: string, options: CallOptions = {}) => call.message(`POST ${at(id, "/resume")}`, options),
  };
}

export interface StatsOptions extends CallOptions {
  /** 1 to 168, the current hour included; 24. */
  hours?: number | undefined;
}

export function statsMethods(call: Call) {
  return {
    /** The tenant's attempts per hour, and the subscriptions that need attention. */
    get: ({ hours, ...options }: StatsOptions = {}) =>
      call.data<TenantStats>(`GET /stats${searchOf({ hours })}`, options),
  };
}

function searchOf(fields: object): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

export interface PublishOptions extends CallOptions {
  /** 1 to 255 printable ASCII characters. The same key within 24 hours delivers nothing twice; with another body: CONFLICT. */
  idempotencyKey?: string | undefined;
}

export function eventMethods(call: Call) {
  return {
    publish: (body: NewEvent, options: PublishOptions = {}) =>
      call.data<PublishedEvent>("POST /events", { ...options, body }),
  };
}
