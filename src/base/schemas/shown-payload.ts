/** The part of a payload that callers with the permission webhook.read see. */
import { parseVerbatim } from "../exact-json";
import { AUDIT_TYPE } from "./event-type";

/**
 * Reads a stored payload. Returns null when there is none, and for an event of the audit log, which needs the
 * permission audit.read.
 */
export function shownPayload(eventType: string, payload: string | null): unknown {
  const text = shownText(eventType, payload);
  return text === null ? null : parseVerbatim(text);
}

/** The stored text of what `shownPayload` parses, with all digits of its numbers. */
export const shownText = (eventType: string, payload: string | null): string | null =>
  eventType === AUDIT_TYPE ? null : payload;
