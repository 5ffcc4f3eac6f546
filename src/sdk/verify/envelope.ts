/** Reads the type and the payload of an event from the signed body. */
import { DeliveryError } from "./errors";

/** The values of a subscription's `delivery.format` that put the type and the payload into the body. */
export const BODY_FORMATS = ["standard", "cloudevents"] as const;

/** The formats of a signed body that has the type of its event. */
export type BodyFormat = (typeof BODY_FORMATS)[number];

/** Returns the type and the payload in a body of the format. Throws DeliveryError: MALFORMED_BODY. */
export function openEnvelope(body: unknown, format: BodyFormat): { type: string; payload: unknown } {
  if (isObject(body) && typeof body.type === "string" && "data" in body) {
    const isRight = format === "cloudevents" ? body.specversion === "1.0" : typeof body.timestamp === "string";
    if (isRight) return { type: body.type, payload: body.data };
  }
  throw new DeliveryError("MALFORMED_BODY", { message: `The body does not have the format "${format}".` });
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
