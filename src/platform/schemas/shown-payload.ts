/** The part of a payload that callers with the permission webhook.read see. */
import { AUDIT_TYPE } from "./event-type";

/**
 * Reads a stored payload. Returns null when there is none, and for an event of the audit log, which needs the
 * permission audit.read.
 */
export const shownPayload = (eventType: string, payload: string | null): unknown =>
  payload === null || eventType === AUDIT_TYPE ? null : (JSON.parse(payload) as unknown);
