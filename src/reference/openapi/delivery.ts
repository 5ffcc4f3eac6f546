/** What we send to subscribers, as the document's `webhooks` entry (specification, Outbound delivery). */
import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { eventType } from "../../wire/event-type";
import { id } from "../../wire/schemas";

const headers = z.object({
  "X-Webhook-Event": eventType.meta({ description: "The event type." }),
  "X-Webhook-Signature": z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: "Lowercase-hex HMAC-SHA256 of the raw body, keyed with the subscription's secret." }),
  "webhook-id": id.meta({ description: "The delivery's id, the same on every attempt: use it to drop duplicates." }),
  "webhook-timestamp": z.string().meta({ description: "When this attempt started, in Unix seconds." }),
  "webhook-signature": z.string().meta({
    description:
      "[Standard Webhooks](https://www.standardwebhooks.com): `v1,` and base64 of the HMAC-SHA256 of `id.timestamp.body`.",
  }),
  "X-Correlation-Id": z.string().optional().meta({ description: "What the publisher gave; empty on a manual retry." }),
});

export const DELIVERY: ZodOpenApiPathsObject = {
  delivery: {
    post: {
      operationId: "delivery",
      summary: "An event, as its subscribers get it.",
      description:
        "POSTed to the subscription's `url`; the body is the event's payload alone. At least once: 3 attempts, 5 and then 10 seconds " +
        "apart, 10 seconds for each. Redirects are not followed.",
      tags: ["Deliveries"],
      security: [],
      requestParams: { header: headers },
      requestBody: {
        required: true,
        content: { "application/json": { schema: { description: "Any JSON value.", examples: [{ order: 42 }] } } },
      },
      responses: {
        "2XX": { description: "Taken. The first 16 KiB of the answer are kept in the log." },
        "4XX": { description: "Failed: another attempt follows, up to the third. Any status but a 2xx counts so." },
      },
    },
  },
};
