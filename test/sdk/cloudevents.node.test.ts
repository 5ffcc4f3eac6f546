/** The CloudEvents SDK for JavaScript reads our deliveries, and what it sends becomes an event by a source. */
import { CloudEvent, HTTP } from "cloudevents";
import { expect, test } from "vitest";
import { utf8 } from "../../src/base/crypto/encoding";
import { bodyOf } from "../../src/webhooks/delivery/envelope";
import { headersOf } from "../../src/webhooks/delivery/send";
import { contentOf } from "../../src/webhooks/sources/content";

const EVENT = {
  eventId: "019aa0e5-0000-7000-8000-000000000002",
  tenantId: "019aa0e5-0000-7000-8000-000000000001",
  eventType: "OrderPaid",
  eventCreatedAt: Date.parse("2026-11-21T16:04:18.000Z"),
  correlationId: "checkout-7",
  orderKey: "order 42",
  sequence: 3,
};

// The SDK reads null as no data.
test.each([{ order: 42 }, [1, "ü\u2028"], "text", 7, null])("a delivery of %j is a CloudEvent", async (payload) => {
  const { body, contentType } = bodyOf({ ...EVENT, payload: JSON.stringify(payload) }, { format: "cloudevents" }, "");
  const keys = { secret: "a signing secret", formerSecrets: [], privateKeys: [] };
  const ids = { deliveryId: "d", eventType: EVENT.eventType, correlationId: EVENT.correlationId, replayId: null };
  const headers = await headersOf({ ...ids, body, keys, contentType }, EVENT.eventCreatedAt);
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const read = HTTP.toEvent<unknown>({ headers: Object.fromEntries(lower), body });
  if (Array.isArray(read)) throw new Error("one event is no batch");
  expect({ data: null, ...JSON.parse(JSON.stringify(read)) }).toMatchObject({
    id: EVENT.eventId,
    source: `urn:uuid:${EVENT.tenantId}`,
    type: "OrderPaid",
    time: "2026-11-21T16:04:18.000Z",
    correlationid: "checkout-7",
    partitionkey: "order 42",
    sequence: "0000000000000003",
    data: payload,
  });
});

test("a structured event of its has its type in the body, where sources of the provider standard read it", () => {
  const event = new CloudEvent({ type: "order.paid", source: "/shop", data: { order: 42 } });
  const { body, headers } = HTTP.structured(event);
  expect(headers["content-type"]).toMatch(/^application\/cloudevents\+json/);
  const { type } = contentOf("standard", {}, new Headers(), JSON.parse(new TextDecoder().decode(utf8(String(body)))));
  expect(type).toBe("order.paid");
});
