/** The delivery log and its filter, as the API sends and receives them. */
import * as z from "zod";
import { eventType } from "../../base/schemas/event-type";
import { described, id, moment, nextCursor, pageQuery, time } from "../../base/schemas/schemas";

const MAX_PAGE_ROWS = 100;

const attemptStatus = z.enum(["pending", "success", "failed"]);

const attempt = described("Attempt", "One attempt to deliver an event: one row of the delivery log.", () => ({
  _id: id,
  webhookId: id,
  deliveryId: id.meta({
    description: "The delivery, which is the same for all of its attempts. Sent as `webhook-id`.",
  }),
  eventType: z.string().meta({ examples: ["OrderPaid"] }),
  payload: z.unknown().meta({
    description:
      "The body that was sent: any JSON value. Null for `postern.audit`, and once the event has been removed " +
      "because of its age.",
    examples: [{ order: 42 }],
  }),
  status: attemptStatus,
  responseCode: z
    .int()
    .optional()
    .meta({ description: "The HTTP status of the subscriber; missing if it did not answer.", examples: [200] }),
  responseBody: z
    .string()
    .optional()
    .meta({ description: "The first 16 KiB of the subscriber's answer.", examples: ["ok"] }),
  responseHeaders: z
    .record(z.string(), z.string())
    .optional()
    .meta({
      description:
        "Headers of the answer, with names in lower case: up to 1,024 characters of a failure and 256 of a success. " +
        "Left out are credentials, and what only caches and browsers read. Missing if nothing is left.",
      examples: [{ "x-request-id": "req_1" }],
    }),
  error: z
    .string()
    .optional()
    .meta({ description: "Why it failed, such as `timeout`.", examples: ["timeout"] }),
  attemptCount: z
    .int()
    .min(1)
    .meta({ description: "1 for the first attempt of its delivery.", examples: [1] }),
  attemptedAt: time,
  completedAt: time.optional(),
}));

export const logQuery = pageQuery("Attempts", MAX_PAGE_ROWS).extend({
  status: attemptStatus.optional(),
  eventType: eventType.optional(),
  since: moment.optional().meta({ description: "Only attempts that started at this time or later." }),
  until: moment.optional().meta({ description: "Only attempts that started before this time." }),
});

export const logPage = z.object({
  data: z.array(attempt),
  nextCursor: nextCursor.optional().meta({
    description: "The cursor of the next page; null on the last page. Missing if the request has no parameters.",
  }),
});

export const attemptSummary = described("AttemptSummary", "One attempt of a delivery, in short.", () => {
  const { _id, attemptCount, status, responseCode, error, attemptedAt, completedAt } = attempt.unwrap().shape;
  return { _id, attemptCount, status, responseCode, error, attemptedAt, completedAt };
});

export const attemptDetail = described(
  "AttemptDetail",
  "One attempt with its headers and the other attempts of its delivery.",
  () => ({
    ...attempt.unwrap().shape,
    eventId: id,
    kind: z.enum(["event", "retry", "test", "replay"]).meta({
      description: "Why its delivery exists: a published event, a manual retry, a test or a replay of all events.",
    }),
    correlationId: z
      .string()
      .optional()
      .meta({ description: "The correlation id of its event.", examples: ["trace-1"] }),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .meta({
        description:
          "The headers that were sent, signed again with the keys of that time. Missing while the attempt is " +
          "pending, and if nothing was sent.",
        examples: [{ "X-Webhook-Event": "OrderPaid" }],
      }),
    missingSignatures: z
      .enum(["secret-ended", "settings-changed", "event-removed"])
      .optional()
      .meta({
        description:
          "Why `headers` lacks a signature that was sent: since then, a key has ended, the subscription's " +
          "signature or format was changed, or the event, which was signed, was removed because of its age.",
        examples: ["secret-ended"],
      }),
    attempts: z.array(attemptSummary).meta({ description: "All attempts of its delivery, at most 50, oldest first." }),
  }),
);

export type AttemptDetail = z.infer<typeof attemptDetail>;
export type Attempt = z.infer<typeof attempt>;
