/**
 * What operators do, in the audit log. All of it is in the log of the service, which no tenant owns and no deletion
 * removes, with all details. An action on a tenant is also in that tenant's log, with the operator's name, and an
 * action on a person in the person's activity, without a name.
 */
import { sql } from "drizzle-orm";
import type { Actor } from "../../base/schemas/actor";
import type { AuditAction } from "../../base/schemas/audit-actions";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { type NewAuditEvent, SERVICE_LOG, tenantOfAccount } from "../../tenancy/audit/record-store";

type Action = AuditAction & `operator.${string}`;
type Meta = Extract<NonNullable<NewAuditEvent["meta"]>, Readonly<Record<string, unknown>>>;

const asOperator = (actor: Actor): Actor => ({ ...actor, kind: "operator" });
/** Customers are not told where the operator is. */
const withoutPlace = (actor: Actor): Actor => ({ ...asOperator(actor), ip: null, userAgent: null, sessionId: null });
/** Drops the id as well: the person sees this event, and must not learn which operator acted. */
const withoutName = (actor: Actor): Actor => ({ ...withoutPlace(actor), id: null, name: null });

/** An event about the service as a whole, for its own log, which is in the control plane. */
export const ofService = ({ actor }: SessionPrincipal, action: Action, meta?: Meta): NewAuditEvent => ({
  tenantId: SERVICE_LOG,
  action,
  actor: asOperator(actor),
  ...(meta ? { meta } : {}),
});

/** The two events about a tenant: one for the log of the service, and one for the tenant's. */
export const ofTenant = (
  operator: SessionPrincipal,
  tenantId: string,
  action: Action,
  meta?: Meta,
): [NewAuditEvent, NewAuditEvent] => {
  const target = { kind: "tenant", id: tenantId } as const;
  return [
    { ...ofService(operator, action, meta), target },
    { tenantId, action, actor: withoutPlace(operator.actor), target, ...(meta ? { meta } : {}) },
  ];
};

/** The two events about a person. */
export const ofPerson = (
  operator: SessionPrincipal,
  userId: string,
  action: Action,
  meta?: Meta,
): [NewAuditEvent, NewAuditEvent] => {
  const target = { kind: "user", id: userId } as const;
  return [
    { ...ofService(operator, action, meta), target },
    {
      tenantId: tenantOfAccount(sql`${userId}`),
      action,
      actor: withoutName(operator.actor),
      target,
      ...(meta ? { meta } : {}),
    },
  ];
};
