/**
 * What platform keys do, in the audit log: in the log of the tenant or the activity of the person, and in the log of
 * the platform with all details.
 */
import { sql } from "drizzle-orm";
import type { AuditAction } from "../../base/schemas/audit-actions";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { type NewAuditEvent, tenantOfAccount } from "../../tenancy/audit/record-store";

type Key = Pick<PlatformKeyPrincipal, "actor">;
type Meta = NonNullable<NewAuditEvent["meta"]>;
type Target = NonNullable<NewAuditEvent["target"]>;

/** The event in the log of the platform. */
const inPlatform = ({ actor }: Key, action: AuditAction, target: Target, meta?: Meta): NewAuditEvent => ({
  tenantId: PLATFORM_TENANT,
  action,
  actor,
  target,
  ...(meta ? { meta } : {}),
});

/** The two events about something in a tenant: the tenant itself, or a member. */
export const inTenant = (
  key: Key,
  tenantId: string,
  action: AuditAction,
  target: Target,
  meta?: Meta,
): NewAuditEvent[] => {
  const event = inPlatform(key, action, target, meta);
  return [{ ...event, tenantId }, event];
};

/** The two events about a person. Their own activity finds events without an actor's id. */
export const aboutPerson = (key: Key, userId: string, action: AuditAction, meta?: Meta): NewAuditEvent[] => {
  const event = inPlatform(key, action, { kind: "user", id: userId }, meta);
  const actor = { ...key.actor, id: null, ip: null, userAgent: null };
  return [{ ...event, tenantId: tenantOfAccount(sql`${userId}`), actor }, event];
};
