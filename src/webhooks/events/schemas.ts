/** Published events and what became of them, as the API sends them. */
import * as z from "zod";
import { eventType } from "../../base/schemas/event-type";
import { cursor, described, id, moment, nextCursor, pageQuery, time } from "../../base/schemas/schemas";
import { filterReason } from "../filters/schemas";
import { attemptSummary } from "../log/schemas";
import { filtered, sequence } from "./publication";

const MAX_PAGE_ROWS = 100;

export const eventListQuery = pageQuery("Events", MAX_PAGE_ROWS).extend({
  type: eventType.optional(),
  since: moment.optional().meta({ description: "Only events published at this time or later." }),
});

export const eventQuery = z.object({ cursor: cursor.optional() });

const eventSummary = described("EventSummary", "A published event without its payload.", () => ({
  id,
  type: z.string().meta({ examples: ["OrderPaid"] }),
  correlationId: z
    .string()
    .optional()
    .meta({ examples: ["checkout-7"] }),
  orderKey: z
    .string()
    .optional()
    .meta({ examples: ["order-42"] }),
  sequence: sequence.optional(),
  deliveries: z
    .int()
    .min(0)
    .meta({ description: "How many subscriptions received it when it was published.", examples: [1] }),
  filtered: filtered.optional(),
  test: z.literal(true).optional().meta({ description: "It is a test, sent to one subscription alone." }),
  createdAt: time,
}));

export const eventPage = z.object({ data: z.array(eventSummary), nextCursor });

const eventOutcome = described("EventOutcome", "What became of an event for one subscription that wanted it.", () => ({
  webhookId: id,
  name: z.string().meta({ description: "The name of the subscription.", examples: ["Orders"] }),
  deliveryId: id.meta({ description: "The id that the delivery has, or would have. Sent as `webhook-id`." }),
  state: z.enum(["delivered", "failed", "waiting", "skipped"]),
  reason: z
    .enum([
      "sending",
      "retry",
      "queue",
      "limit",
      "backlog",
      "held",
      "held-by-operator",
      "retry-after",
      "fan-out",
      "filtered",
      "paused",
      "created-later",
      "deleted",
    ])
    .optional()
    .meta({
      description:
        "Why it waits: `sending` (an attempt is in progress), `retry`, `queue` (it is about to be sent, or due at " +
        "`until` because of a fault of the service), `limit` (the subscription's limits make it wait), `backlog` " +
        "(other deliveries to this subscription come first), `held` (the subscription is paused or disabled and " +
        "holds its deliveries, or has not released this one yet), `held-by-operator` (an operator of the service " +
        "has frozen what is sent for the tenant), `retry-after` (the subscriber asked for a pause), `fan-out` " +
        "(deliveries of the event are still being created). Why it was skipped: its filter did not let it through " +
        "(`filtered`), or the subscription was `paused` when the event was published, `created-later`, or " +
        "`deleted`.",
      examples: ["retry"],
    }),
  because: z
    .array(filterReason)
    .optional()
    .meta({ description: "For `filtered`: the conditions of the filter that do not hold, at most 20." }),
  filterChanged: z
    .literal(true)
    .optional()
    .meta({ description: "In place of `because`: the filter has changed since the event was published." }),
  until: time.optional().meta({ description: "When the next attempt is due, if that is known." }),
  attempt: attemptSummary.optional().meta({ description: "The latest attempt." }),
}));

const eventDetail = described("EventDetail", "A published event, and what became of it.", () => ({
  ...eventSummary.unwrap().shape,
  payload: z.unknown().meta({ description: "Any JSON value. Null for `postern.audit`.", examples: [{ order: 42 }] }),
  subscriptions: z
    .array(eventOutcome)
    .meta({ description: "Each subscription that wanted the event, oldest first, at most 100 on a page." }),
}));

export const eventDetailPage = described("EventDetailPage", "An event with one page of its subscriptions.", () => ({
  data: eventDetail,
  nextCursor: nextCursor.meta({ description: "Leads to the next page of `subscriptions`; null on the last one." }),
}));

export type EventSummary = z.infer<typeof eventSummary>;
export type EventOutcome = z.infer<typeof eventOutcome>;
export type EventDetail = z.infer<typeof eventDetail>;
