/** The media type of a request body that is JSON. */
import { type Meter, PRICES } from "../../work/meter";
import { isObject } from "../json-schema/canonical";

/** Media types and ranges that stand for JSON, the best first (RFC 9110 sections 8.3.1 and 12.5.1). */
const JSON_TYPES = [
  /^application\/json$/,
  /^(?:application|text)\/(?:[\w.!#$&^+-]+\+)?json$/,
  /^application\/\*\+json$/,
  /^application\/\*$/,
  /^\*\/\*$/,
];

/** The key of `content` that stands for JSON, as it is written; undefined without one. Throws OutOfSteps. */
export function jsonKeyOf(content: unknown, meter: Meter): string | undefined {
  const keys = isObject(content) ? Object.keys(content) : [];
  for (const { length } of keys) meter.pay(PRICES.value + length * PRICES.character);
  // In any case, and with parameters.
  const essence = (key: string) => (key.split(";", 1)[0] ?? "").trim().toLowerCase();
  for (const pattern of JSON_TYPES) {
    const found = keys.find((key) => pattern.test(essence(key)));
    if (found !== undefined) return found;
  }
  return undefined;
}
