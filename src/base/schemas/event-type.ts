/** The form of an event type's name. */
import * as z from "zod";

/** 1 to 128 printable ASCII characters, without spaces or `*`. */
export const eventType = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[!-)+-~]*$/, "Must be printable ASCII without spaces and *")
  .meta({ examples: ["OrderPaid"] });

/** What others call an event, with `_` for each character that no event type has. */
export const typeNameOf = (name: string): string => name.replace(/[^!-)+-~]/gu, "_");

/** A type, a wildcard, `*` or `postern.*`. One pattern, because clients that are generated make a class of a choice. */
export const subscribedType = z
  .string()
  .min(1)
  .max(128)
  .regex(/^(?:\*|[!-)+-~]+|(?:[!-)+,\-/-~]+\.){1,8}\*)$/, "Must be a type, *, or 1 to 8 parts and a *, such as order.*")
  .refine(
    (type) => !type.startsWith(OPERATIONAL_PREFIX) || !type.endsWith("*") || type === ALL_OPERATIONAL,
    "Of postern. only postern.* is allowed",
  )
  .meta({ examples: ["OrderPaid"] });

/** The type of the event that a test sends to one subscription. */
export const TEST_EVENT_TYPE = "WebhookTested";

/** The prefix of operational events. Only the service publishes them, and `*` does not match them. */
export const OPERATIONAL_PREFIX = "postern.";
/** What a subscription lists to receive every operational event. */
export const ALL_OPERATIONAL = "postern.*";

/** An event of the audit log, as an operational event. */
export const AUDIT_TYPE = "postern.audit";

/** The operational events that are about the tenant. */
export type TenantEventType =
  | "postern.domain.lost"
  | "postern.connection.failing"
  | "postern.connection.recovered"
  | "postern.directory.silent";

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
