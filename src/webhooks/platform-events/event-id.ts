/** The ids of the events of the platform. */
import { sha256Hex } from "../../base/crypto/encoding";
import type { PlatformEventType } from "../../base/schemas/platform-events";

/** The variant of RFC 9562, in the two highest bits of a digit. */
const VARIANT = 8;

/**
 * Returns the id of the event of this type that an audit event becomes: always the same, so that it is published once.
 * It has the time of the audit event. The digits after it are a hash, because one audit event can become several events
 * and also be published as `postern.audit`.
 */
export async function platformEventId(auditId: string, type: PlatformEventType): Promise<string> {
  const hash = await sha256Hex(`${type} ${auditId}`);
  const variant = VARIANT | (Number.parseInt(hash.slice(3, 4), 16) & 3);
  return `${auditId.slice(0, 13)}-7${hash.slice(0, 3)}-${variant.toString(16)}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}
