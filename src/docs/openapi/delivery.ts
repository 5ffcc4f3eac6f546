/** The requests that subscribers receive: the `webhooks` section of the document. */
import * as z from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { eventType } from "../../base/schemas/event-type";
import { id, time } from "../../base/schemas/schemas";
import { orderKey } from "../../webhooks/events/publication";

const headers = z.object({
  "X-Webhook-Event": eventType.meta({ description: "The event type." }),
  "X-Webhook-Signature": z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: "Lowercase-hex HMAC-SHA256 of the raw body, keyed with the subscription's newest secret." }),
  "webhook-id": id.meta({
    description: "The delivery's id. It is the same on every attempt: use it to drop duplicates.",
  }),
  "webhook-timestamp": z.string().meta({ description: "When this attempt started, in Unix seconds." }),
  "webhook-signature": z.string().meta({
    description:
      "[Standard Webhooks](https://www.standardwebhooks.com): `v1,` followed by the base64 HMAC-SHA256 of " +
      "`id.timestamp.body`, once for each valid secret, newest " +
      "first. With `delivery.signature` `v1+v1a` also `v1a,` and the base64 Ed25519 signature of the same text.",
  }),
  "X-Correlation-Id": z
    .string()
    .optional()
    .meta({ description: "The publisher's correlation id; empty on a manual retry." }),
  "webhook-order-key": orderKey.optional().meta({ description: "The event's `orderKey`, if it has one. Not signed." }),
  "webhook-sequence": z
    .string()
    .optional()
    .meta({ description: "The number of the event within its `orderKey`. Not signed.", examples: ["3"] }),
  "webhook-replay": id
    .optional()
    .meta({ description: "The replay that sends the event again as a new delivery; only on such deliveries." }),
});

const cloudEvent = z
  .object({
    specversion: z.literal("1.0"),
    id: id.meta({ description: "The event's id, the same when it is sent again." }),
    source: z
      .string()
      .meta({ description: "The tenant, as a URN.", examples: ["urn:uuid:019aa0e5-0000-7000-8000-000000000001"] }),
    type: eventType,
    time,
    datacontenttype: z.literal("application/json"),
    correlationid: z.string().optional(),
    partitionkey: orderKey.optional().meta({ description: "The event's `orderKey`, if it has one." }),
    sequence: z.string().optional().meta({ description: "The event's number within it, in 16 digits." }),
    data: z.unknown().meta({ description: "The payload." }),
  })
  .meta({ description: "A CloudEvent 1.0, where `delivery.format` is `cloudevents`." });

export const DELIVERY: ZodOpenApiPathsObject = {
  delivery: {
    post: {
      operationId: "delivery",
      summary: "An event, as its subscribers receive it.",
      description:
        "A POST to the subscription's `url`. The body is the event's payload, unless `delivery.format` says " +
        "otherwise: with `standard` it is `{ type, timestamp, order?, data }`, with `thin` `{ id, type, createdAt, " +
        "url }`, with `cloudevents` a CloudEvent. Delivery is at least once: by default up to 3 attempts, 5 and then " +
        "10 seconds apart, with a timeout of 10 seconds each. Redirects are not followed.",
      tags: ["Deliveries"],
      security: [],
      requestParams: { header: headers },
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: { description: "Any JSON value.", examples: [{ order: 42 }] } },
          "application/cloudevents+json": { schema: cloudEvent },
        },
      },
      responses: {
        "2XX": {
          description: "Delivered. The log keeps the first 16 KiB of the body, and headers but no credentials.",
        },
        "4XX": { description: "Failed, as is any status other than 2xx. By default, three attempts are made in all." },
      },
    },
  },
};
