/** The form of an event type's name. */
import * as z from "zod";

/** 1 to 128 printable ASCII characters, without spaces or `*`. */
export const eventType = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[!-)+-~]*$/, "Must be printable ASCII without spaces and *")
  .meta({ examples: ["OrderPaid"] });

/** Stands for all types that begin with what is before the `*`: "order.*" for "order.paid". 1 to 8 parts with a dot. */
export const eventWildcard = z
  .string()
  .max(128)
  .regex(/^(?:[!-)+,\-/-~]+\.){1,8}\*$/, "Must be a type, *, or 1 to 8 parts and a *, such as order.*")
  .refine((pattern) => !pattern.startsWith(OPERATIONAL_PREFIX), "Of postern. only postern.* is allowed")
  .meta({ examples: ["order.*"] });

/** The type of the event that a test sends to one subscription. */
export const TEST_EVENT_TYPE = "WebhookTested";

/** The prefix of operational events. Only the service publishes them, and `*` does not match them. */
export const OPERATIONAL_PREFIX = "postern.";
/** What a subscription lists to receive every operational event. */
export const ALL_OPERATIONAL = "postern.*";

/** An event of the audit log, as an operational event. */
export const AUDIT_TYPE = "postern.audit";

/** The operational events that are about a subscription. */
export type OperationalType =
  | "postern.webhook.created"
  | "postern.webhook.updated"
  | "postern.webhook.deleted"
  | "postern.webhook.enabled"
  | "postern.webhook.disabled"
  | "postern.webhook.failing"
  | "postern.webhook.recovered"
  | "postern.webhook.secret_rotated"
  | "postern.webhook.secret_ended"
  | "postern.webhook.throttled"
  | "postern.delivery.exhausted"
  | "postern.replay.finished";
