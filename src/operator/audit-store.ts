/**
 * What operators do, in the audit log. What concerns a tenant is in its own log, with the operator's name. What concerns a person is in the
 * person's activity without a name, and in the log of the operator's tenant with everything.
 */
import { sql } from "drizzle-orm";
import type { AuditAction } from "../audit/actions";
import type { Actor } from "../audit/actor";
import { type NewAuditEvent, tenantOfAccount } from "../audit/record-store";
import type { SessionPrincipal } from "../tenants/principal";

type Action = AuditAction & `operator.${string}`;
type Meta = Extract<NonNullable<NewAuditEvent["meta"]>, Readonly<Record<string, unknown>>>;

const asOperator = (actor: Actor): Actor => ({ ...actor, kind: "operator" });
/** Customers are not told where their operator sits. */
const withoutPlace = (actor: Actor): Actor => ({ ...asOperator(actor), ip: null, userAgent: null, sessionId: null });
/** Without an id too: an event without an actor is in the activity of the person that it is about. */
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
