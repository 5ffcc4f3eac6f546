/** The times of a response. Clocks may differ by a minute. */
import { MINUTE_MS } from "../../base/time";
import { refused } from "./refuse";
import { attributeOf, type XmlElement, XmlRefused } from "./xml";

export const SKEW_MS = MINUTE_MS;
/** How old an assertion may be, however long its provider lets it count. */
export const OLDEST_MS = 10 * MINUTE_MS;

const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;

/** An xs:dateTime in UTC, in Unix ms; null where it is missing. Throws XmlRefused for another text. */
export function timeIn(element: XmlElement, name: string): number | null {
  const text = attributeOf(element, name);
  if (text === null) return null;
  const [, seconds, fraction = ""] = DATE_TIME.exec(text) ?? [];
  const at = seconds === undefined ? Number.NaN : Date.parse(`${seconds}.${fraction.slice(0, 3).padEnd(3, "0")}Z`);
  // A day that its month does not have would count as one of the next.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, seconds?.length) !== seconds) {
    throw new XmlRefused(`${name} is no time in UTC`);
  }
  return at;
}

/** Throws XmlRefused where it is missing. */
export function requiredTime(element: XmlElement, name: string): number {
  const at = timeIn(element, name);
  if (at === null) throw new XmlRefused(`${name} is missing in ${element.local}`);
  return at;
}

/** Throws SignOnRefused for an end that is past. */
export function refuseEnded(endMs: number | null, nowMs: number): void {
  if (endMs !== null && nowMs > endMs + SKEW_MS) {
    throw refused("expired", { seconds: Math.round((nowMs - endMs) / 1000) });
  }
}

/** Throws SignOnRefused for a beginning that is to come. */
export function refuseFuture(atMs: number | null, nowMs: number): void {
  if (atMs !== null && atMs > nowMs + SKEW_MS) {
    throw refused("clock_skew", { seconds: Math.round((atMs - nowMs) / 1000) });
  }
}
