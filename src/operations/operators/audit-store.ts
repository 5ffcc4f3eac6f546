/**
 * What operators do, in the audit log. An action on a tenant is in that tenant's log, with the operator's name. An
 * action on a person is in the person's activity without a name, and in the log of the operator's tenant with all
 * details.
 */
import { sql } from "drizzle-orm";
import type { Actor } from "../../platform/schemas/actor";
import type { AuditAction } from "../../platform/schemas/audit-actions";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { type NewAuditEvent, tenantOfAccount } from "../../tenancy/audit/record-store";

type Action = AuditAction & `operator.${string}`;
type Meta = Extract<NonNullable<NewAuditEvent["meta"]>, Readonly<Record<string, unknown>>>;

const asOperator = (actor: Actor): Actor => ({ ...actor, kind: "operator" });
/** Customers are not told where the operator is. */
const withoutPlace = (actor: Actor): Actor => ({ ...asOperator(actor), ip: null, userAgent: null, sessionId: null });
/** Drops the id as well: the person sees this event, and must not learn which operator acted. */
const withoutName = (actor: Actor): Actor => ({ ...withoutPlace(actor), id: null, name: null });

/** An event about the service as a whole, for the log of the operator's own tenant. */
export const ofService = ({ tenantId, actor }: SessionPrincipal, action: Action, meta?: Meta): NewAuditEvent => ({
  tenantId,
  action,
  actor: asOperator(actor),
  ...(meta ? { meta } : {}),
});

/** An event about a tenant, for its log. */
export const ofTenant = (
  { actor }: SessionPrincipal,
  tenantId: string,
  action: Action,
  meta?: Meta,
): NewAuditEvent => ({
  tenantId,
  action,
  actor: withoutPlace(actor),
  target: { kind: "tenant", id: tenantId },
  ...(meta ? { meta } : {}),
});

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
