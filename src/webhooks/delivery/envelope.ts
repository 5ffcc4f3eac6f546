/** The body of a delivery and its content type. Both are the same on every attempt. */
import { iso } from "../../base/time";
import type { DeliveryOptions } from "../options/delivery-options";

export interface DeliveredEvent {
  eventId: string;
  tenantId: string;
  eventType: string;
  /** When it was published, Unix ms. */
  eventCreatedAt: number;
  correlationId: string | null;
  orderKey: string | null;
  /** The number of the event within its order key; null without one. */
  sequence: number | null;
  /** The JSON text, as it was published. */
  payload: string;
}

export interface Sent {
  body: string;
  contentType: string;
}

/** Of every number that a double holds. The extension `sequence` of CloudEvents is compared as text. */
const SEQUENCE_DIGITS = 16;

const JSON_TYPE = "application/json";

/**
 * Returns the body in the subscription's format. The payload is inserted as text: parsing it could change large numbers
 * and the order of keys, so the body would differ from what was published. `publicUrl` is the address of the service,
 * if it is known.
 */
export function bodyOf(event: DeliveredEvent, options: DeliveryOptions | null, publicUrl: string | undefined): Sent {
  switch (options?.format) {
    case "standard":
      return { body: standard(event), contentType: JSON_TYPE };
    case "cloudevents":
      return { body: cloudEvent(event), contentType: "application/cloudevents+json; charset=utf-8" };
    case "thin":
      return { body: thin(event, publicUrl ?? ""), contentType: JSON_TYPE };
    default:
      return { body: event.payload, contentType: JSON_TYPE };
  }
}

/**
 * The envelope of Standard Webhooks ("Payload structure"). The order is in it too, because no signature covers the
 * headers.
 */
const standard = ({ eventType, eventCreatedAt, orderKey, sequence, payload }: DeliveredEvent) => {
  const order = orderKey === null ? {} : { order: { key: orderKey, sequence } };
  return withLast({ type: eventType, timestamp: iso(eventCreatedAt), ...order }, "data", payload);
};

/**
 * CloudEvents 1.0, JSON format, structured mode. The id is the event's, so that receivers recognise a replay. The
 * source is a URN, which needs no setting.
 */
function cloudEvent(event: DeliveredEvent): string {
  const { eventId, tenantId, eventType, eventCreatedAt, correlationId, orderKey, sequence, payload } = event;
  const attributes = {
    specversion: "1.0",
    id: eventId,
    source: `urn:uuid:${tenantId}`,
    type: eventType,
    time: iso(eventCreatedAt),
    datacontenttype: "application/json",
    ...(correlationId === null ? {} : { correlationid: correlationId }),
    ...(orderKey === null ? {} : { partitionkey: orderKey, sequence: String(sequence).padStart(SEQUENCE_DIGITS, "0") }),
  };
  return withLast(attributes, "data", payload);
}

/** Where the event can be read, and nothing of its payload. */
const thin = ({ eventId, eventType, eventCreatedAt }: DeliveredEvent, publicUrl: string) =>
  JSON.stringify({
    id: eventId,
    type: eventType,
    createdAt: iso(eventCreatedAt),
    url: `${publicUrl}/api/v1/events/${eventId}`,
  });

/** The members as JSON, with a last one whose value is JSON already. */
const withLast = (members: object, name: string, json: string) =>
  `${JSON.stringify(members).slice(0, -1)},"${name}":${json}}`;
