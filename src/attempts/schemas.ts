/** What crosses the wire about the delivery log, page by page, and about one attempt. */
import { z } from "zod";
import { eventType } from "../wire/event-type";
import { cursor, id, moment, nextCursor, time } from "../wire/schemas";

const MAX_PAGE_ROWS = 100;

const attempt = z
  .object({
    _id: id,
    webhookId: id,
    deliveryId: id.meta({ description: "Sent as `webhook-id`, the same for every attempt of a delivery." }),
    eventType: z.string().meta({ examples: ["OrderPaid"] }),
    payload: z.unknown().meta({ description: "What was sent: any JSON value.", examples: [{ order: 42 }] }),
    status: z.enum(["pending", "success", "failed"]),
    responseCode: z
      .int()
      .optional()
      .meta({ description: "The subscriber's status.", examples: [200] }),
    responseBody: z
      .string()
      .optional()
      .meta({ description: "The first 16 KiB of its answer.", examples: ["ok"] }),
    error: z
      .string()
      .optional()
      .meta({ description: "Why it failed.", examples: ["timeout"] }),
    attemptCount: z
      .int()
      .min(1)
      .meta({ examples: [1] }),
    attemptedAt: time,
    completedAt: time.optional(),
  })
  .meta({ id: "Attempt" });

export const logQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_PAGE_ROWS)
    .default(50)
    .meta({ examples: [50] }),
  cursor: cursor.optional(),
  status: attempt.shape.status.optional(),
  eventType: eventType.optional(),
  since: moment.optional().meta({ description: "Attempts that started then or later." }),
  until: moment.optional().meta({ description: "Attempts that started before." }),
});

export const logPage = z.object({
  data: z.array(attempt),
  nextCursor: nextCursor
    .optional()
    .meta({ description: "With any parameter only: where the next page begins; null: no more." }),
});

const attemptSummary = attempt
  .pick({
    _id: true,
    attemptCount: true,
    status: true,
    responseCode: true,
    error: true,
    attemptedAt: true,
    completedAt: true,
  })
  .meta({ id: "AttemptSummary" });

export const attemptDetail = attempt
  .extend({
    eventId: id,
    kind: z.enum(["event", "retry", "test"]).meta({ description: "What its delivery was queued for." }),
    correlationId: z
      .string()
      .optional()
      .meta({ description: "Of its event.", examples: ["trace-1"] }),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .meta({
        description: "As sent, signed anew with the present secret. Missing while pending and where nothing was sent.",
        examples: [{ "X-Webhook-Event": "OrderPaid" }],
      }),
    attempts: z.array(attemptSummary).meta({ description: "All attempts of its delivery, oldest first, at most 50." }),
  })
  .meta({ id: "AttemptDetail" });

export type AttemptDetail = z.infer<typeof attemptDetail>;
export type Attempt = z.infer<typeof attempt>;
