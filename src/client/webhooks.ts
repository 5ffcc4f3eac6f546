/** Subscriptions, their operations, and publishing. */
import type { Call, CallOptions } from "./call";
import type {
  DeliveryAttempt,
  DeliveryCounts,
  NewEvent,
  NewSubscription,
  PublishedEvent,
  Subscription,
  SubscriptionChange,
} from "./types";

export function webhookMethods(call: Call) {
  const at = (id: string, rest = "") => `/webhooks/${encodeURIComponent(id)}${rest}`;
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
    metrics: (id: string, options: CallOptions = {}) => call.data<DeliveryCounts>(`GET ${at(id, "/metrics")}`, options),
    /** Queues the latest delivery again. NOT_FOUND when it has not failed. */
    retry: (id: string, options: CallOptions = {}) => call.message(`POST ${at(id, "/retry")}`, options),
    /** Queues a `WebhookTested` delivery. */
    test: (id: string, options: CallOptions = {}) => call.message(`POST ${at(id, "/test")}`, options),
    pause: (id: string, options: CallOptions = {}) => call.message(`POST ${at(id, "/pause")}`, options),
    resume: (id: string, options: CallOptions = {}) => call.message(`POST ${at(id, "/resume")}`, options),
  };
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
