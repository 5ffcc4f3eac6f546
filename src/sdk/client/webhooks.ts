/** `/webhooks`: subscriptions, their delivery log, and sending again. */
import type { Call, CallOptions } from "./call";
import type { NewReplay, ReplayPeriod } from "./derived";
import type { Attempt, LogFilter, Replay, ReplayPreview } from "./generated";
import type { ReplayOptions, WebhookEndpoints } from "./generated-methods";
import { webhookEndpoints } from "./generated-requests";
import { type Listed, listed, type Paged, paged } from "./pages";
import { query, segment } from "./path";

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
export interface WebhookMethods extends WebhookEndpoints {
  /** Returns the 50 newest attempts, newest first. Throws FORBIDDEN, NOT_FOUND. */
  logs(id: string, options?: CallOptions): Listed<Attempt>;
  /** Returns the log, newest attempt first. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  logPage(id: string, filter?: LogFilter, options?: CallOptions): Paged<Attempt>;
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
}

export function webhookMethods(call: Call): WebhookMethods {
  const at = (id: string, rest: string) => `/webhooks/${segment(id)}/${rest}`;
  return {
    ...webhookEndpoints(call),
    logs: (id, options) => listed(call.data(`GET ${at(id, "logs")}`, options)),
    // The service answers with a page, not with the plain list, when any parameter is given.
    logPage: (id, filter, options) =>
      paged(
        (cursor) => call.answer(`GET ${at(id, "logs")}${query({ limit: 50, ...filter, cursor })}`, options),
        filter?.cursor,
      ),
    replay: (id, body, options) => call.data(`POST ${at(id, "replay")}`, { ...options, body }),
    previewReplay: (id, body, options) =>
      call.data(`POST ${at(id, "replay")}`, { ...options, body: { ...body, dryRun: true } }),
  };
}
