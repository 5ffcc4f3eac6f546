/** `/webhooks`: subscriptions, their delivery log, and sending again. */

import type { Call, CallOptions } from "./call";
import type {
  Attempt,
  AttemptCounts,
  AttemptDetail,
  FilterResult,
  FilterSample,
  ImportedSubscription,
  LogFilter,
  NewSubscription,
  Replay,
  ReplayPreview,
  RetryFailedRequest,
  RetryFailedResult,
  RotatedSubscription,
  SecretRotation,
  Subscription,
  SubscriptionChange,
  SubscriptionImport,
  SubscriptionStats,
} from "./generated";
import { type Listed, listed, type Paged, paged } from "./pages";
import { query, segment } from "./path";
import type { NewReplay, ReplayListOptions, ReplayOptions, ReplayPeriod } from "./replays";
import type { StatsOptions } from "./stats";

/** Options of `client.webhooks.list`. */
export interface SubscriptionListOptions extends CallOptions {
  /** Only the subscription that has this external id. */
  externalId?: string | undefined;
  /** Only those that this user, or an API key of theirs, has created or last given another URL. */
  setUpBy?: string | undefined;
}

/** Options of `client.webhooks.resume`. */
export interface ResumeOptions extends CallOptions {
  /** What happens to the deliveries that it held; `send` unless given. */
  held?: "send" | "drop" | undefined;
}

/**
 * `client.webhooks`. Every method that takes an id throws NOT_FOUND for one that the tenant does not have.
 *
 * @example
 * const { _id } = await client.webhooks.create({
 *   name: "Billing",
 *   url: "https://billing.example.com/hooks",
 *   events: ["OrderPaid"],
 *   secret: process.env.WEBHOOK_SECRET,
 * });
 * const [latest] = await client.webhooks.logs(_id);
 */
export interface WebhookMethods {
  /** Subscribes a URL to event types and returns the subscription. Throws FORBIDDEN, VALIDATION_FAILED. */
  create(body: NewSubscription, options?: CallOptions): Promise<Subscription>;
  /** Returns the tenant's subscriptions, newest first. Throws FORBIDDEN. */
  list(options?: SubscriptionListOptions): Listed<Subscription>;
  /**
   * Creates subscriptions, or replaces those with the same `externalId`, 1 to 100 a call, and returns what became of
   * each. A refused item refuses itself only. Throws FORBIDDEN, VALIDATION_FAILED.
   */
  import(body: SubscriptionImport, options?: CallOptions): Promise<ImportedSubscription[]>;
  /** Returns one subscription. Throws FORBIDDEN, NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Subscription>;
  /**
   * Changes the given fields and returns the whole subscription. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED, and
   * CONFLICT when the URL or the headers change at the same time.
   */
  update(id: string, body: SubscriptionChange, options?: CallOptions): Promise<Subscription>;
  /**
   * Deletes a subscription; nothing more is sent to it. Returns the service's confirmation. Throws FORBIDDEN,
   * NOT_FOUND.
   */
  delete(id: string, options?: CallOptions): Promise<string>;
  /**
   * Replaces the secret, or the Ed25519 key; the former one also signs for a while. Returns the subscription with its
   * new secret, and when the former keys end. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED, RATE_LIMITED (10 an
   * hour), and CONFLICT for a fourth former key and for a rotation at the same time.
   */
  rotateSecret(id: string, body?: SecretRotation, options?: CallOptions): Promise<RotatedSubscription>;
  /**
   * Ends all former keys at once, for example after a leak. Returns the service's confirmation. Throws FORBIDDEN,
   * NOT_FOUND.
   */
  endPreviousSecrets(id: string, options?: CallOptions): Promise<string>;
  /** Returns the 50 newest attempts, newest first. Throws FORBIDDEN, NOT_FOUND. */
  logs(id: string, options?: CallOptions): Listed<Attempt>;
  /** Returns the log, newest attempt first. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  logPage(id: string, filter?: LogFilter, options?: CallOptions): Paged<Attempt>;
  /** Returns one attempt with its headers and all attempts of its delivery. Throws FORBIDDEN, NOT_FOUND. */
  attempt(id: string, attemptId: string, options?: CallOptions): Promise<AttemptDetail>;
  /** Returns the attempts per hour with their latency. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  stats(id: string, options?: StatsOptions): Promise<SubscriptionStats>;
  /** Returns how many attempts there were, by status. Throws FORBIDDEN, NOT_FOUND. */
  metrics(id: string, options?: CallOptions): Promise<AttemptCounts>;
  /**
   * Sends the latest delivery again, as a new delivery. While one such retry is in progress, no second one is queued.
   * Returns the service's confirmation. Throws FORBIDDEN, and NOT_FOUND when the latest attempt has not failed.
   */
  retry(id: string, options?: CallOptions): Promise<string>;
  /** As `retry`, for the delivery with this id. Throws FORBIDDEN, NOT_FOUND. */
  retryDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<string>;
  /**
   * Sends the failed deliveries of events since `since` again, under the same `webhook-id`s, at most 500 a call.
   * Returns how many, as a sentence, and `nextCursor`; call again with it for the rest. Throws FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED, and CONFLICT while the subscription is paused.
   */
  retryFailed(id: string, body: RetryFailedRequest, options?: CallOptions): Promise<RetryFailedResult>;
  /**
   * Starts to send events of a period again, in the background, and returns the replay. Throws FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED, and CONFLICT while another replay of the subscription runs, while it is paused, and for a key
   * that was used with another body.
   */
  replay(id: string, body: NewReplay, options?: ReplayOptions): Promise<Replay>;
  /**
   * Returns how many deliveries such a replay would queue, and queues none. Throws FORBIDDEN, NOT_FOUND,
   * VALIDATION_FAILED.
   */
  previewReplay(id: string, body: ReplayPeriod, options?: CallOptions): Promise<ReplayPreview>;
  /** Returns the subscription's replays, newest first. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  replays(id: string, options?: ReplayListOptions): Paged<Replay>;
  /** Returns a replay with its progress. Throws FORBIDDEN, NOT_FOUND. */
  replayStatus(id: string, replayId: string, options?: CallOptions): Promise<Replay>;
  /** Stops a replay and returns it. What it has queued is still sent. Throws FORBIDDEN, NOT_FOUND. */
  stopReplay(id: string, replayId: string, options?: CallOptions): Promise<Replay>;
  /**
   * Sends a `WebhookTested` event to this subscription alone. Returns the service's confirmation. Throws FORBIDDEN,
   * NOT_FOUND.
   */
  test(id: string, options?: CallOptions): Promise<string>;
  /**
   * Says whether the subscription would receive an event, and which conditions of its filter, or of the one in `body`,
   * do not hold. Publishes nothing. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED.
   */
  testFilter(id: string, body: FilterSample, options?: CallOptions): Promise<FilterResult>;
  /** Disables the subscription: new events skip it. Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND. */
  pause(id: string, options?: CallOptions): Promise<string>;
  /**
   * Enables the subscription again. The deliveries that it held are sent, oldest first, or dropped with `held: "drop"`.
   * Returns the service's confirmation. Throws FORBIDDEN, NOT_FOUND.
   */
  resume(id: string, options?: ResumeOptions): Promise<string>;
}

export function webhookMethods(call: Call): WebhookMethods {
  const at = (id: string, rest = "") => `/webhooks/${segment(id)}${rest}`;
  return {
    create: (body, options) => call.data("POST /webhooks", { ...options, body }),
    list: ({ externalId, setUpBy, ...options } = {}) =>
      listed(call.data(`GET /webhooks${query({ externalId, setUpBy })}`, options)),
    import: (body, options) => call.data("POST /webhooks/import", { ...options, body }),
    get: (id, options) => call.data(`GET ${at(id)}`, options),
    update: (id, body, options) => call.data(`PATCH ${at(id)}`, { ...options, body }),
    delete: (id, options) => call.message(`DELETE ${at(id)}`, options),
    rotateSecret: (id, body = {}, options) => call.answer(`POST ${at(id, "/secret/rotate")}`, { ...options, body }),
    endPreviousSecrets: (id, options) => call.message(`DELETE ${at(id, "/secret/previous")}`, options),
    logs: (id, options) => listed(call.data(`GET ${at(id, "/logs")}`, options)),
    // The service answers with a page, not with the plain list, when any parameter is given.
    logPage: (id, filter, options) =>
      paged(
        (cursor) => call.answer(`GET ${at(id, `/logs${query({ limit: 50, ...filter, cursor })}`)}`, options),
        filter?.cursor,
      ),
    attempt: (id, attemptId, options) => call.data(`GET ${at(id, `/attempts/${segment(attemptId)}`)}`, options),
    stats: (id, { hours, ...options } = {}) => call.data(`GET ${at(id, `/stats${query({ hours })}`)}`, options),
    metrics: (id, options) => call.data(`GET ${at(id, "/metrics")}`, options),
    retry: (id, options) => call.message(`POST ${at(id, "/retry")}`, options),
    retryDelivery: (id, deliveryId, options) =>
      call.message(`POST ${at(id, `/deliveries/${segment(deliveryId)}/retry`)}`, options),
    retryFailed: (id, body, options) => call.answer(`POST ${at(id, "/retry-failed")}`, { ...options, body }),
    replay: (id, body, options) => call.data(`POST ${at(id, "/replay")}`, { ...options, body }),
    previewReplay: (id, body, options) =>
      call.data(`POST ${at(id, "/replay")}`, { ...options, body: { ...body, dryRun: true } }),
    replays: (id, { cursor: from, ...options } = {}) =>
      paged((cursor) => call.answer(`GET ${at(id, `/replays${query({ cursor })}`)}`, options), from),
    replayStatus: (id, replayId, options) => call.data(`GET ${at(id, `/replays/${segment(replayId)}`)}`, options),
    stopReplay: (id, replayId, options) => call.data(`DELETE ${at(id, `/replays/${segment(replayId)}`)}`, options),
    testFilter: (id, body, options) => call.data(`POST ${at(id, "/filter/test")}`, { ...options, body }),
    test: (id, options) => call.message(`POST ${at(id, "/test")}`, options),
    pause: (id, options) => call.message(`POST ${at(id, "/pause")}`, options),
    resume: (id, { held = "send", ...options } = {}) => call.message(`POST ${at(id, `/resume?held=${held}`)}`, options),
  };
}
