/** Suspending and resuming tenants and people. */
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { ofPerson, ofTenant } from "../acting/audit-store";
import { tenantToChange } from "../acting/tenant-to-change";
import { tellOperators } from "./notices";
import { endSessionsOfUser, resumeUser, suspendUser } from "./suspend-store";
import { resumeEverywhere, suspendEverywhere } from "./suspend-tenant";

interface Suspension {
  reason: string;
}

/** Suspends a tenant: its credentials are refused, and its deliveries wait. Throws NOT_FOUND. */
export async function suspendTenant(
  deps: Deps,
  operator: SessionPrincipal,
  id: string,
  { reason }: Suspension,
): Promise<void> {
  const tenant = await tenantToChange(deps, id);
  await suspendEverywhere(
    deps,
    tenant,
    reason,
    ofTenant(operator, tenant.tenantId, "operator.tenant_suspended", { reason }),
  );
  tellOperators(deps, operator, { what: "tenantSuspended", id: tenant.tenantId, reason });
}

/** Ends the suspension of a tenant; its waiting deliveries are sent. Throws like `suspendTenant`. */
export async function resumeTenant(
  deps: Deps,
  operator: SessionPrincipal,
  id: string,
  { reason }: Suspension,
): Promise<void> {
  const tenant = await tenantToChange(deps, id);
  await resumeEverywhere(deps, tenant, ofTenant(operator, tenant.tenantId, "operator.tenant_resumed", { reason }));
}

/**
 * Suspends a person: all sessions end, and logins are refused, and so are the person's API keys unless `keepApiKeys` is
 * set. Throws NOT_FOUND, CONFLICT for the operator's own account.
 */
export async function suspendPerson(
  deps: Deps,
  operator: SessionPrincipal,
  userId: string,
  { reason, keepApiKeys }: Suspension & { keepApiKeys: boolean },
): Promise<void> {
  if (userId === operator.userId) throw new AppError("CONFLICT", { message: "You cannot suspend yourself." });
  const events = ofPerson(operator, userId, "operator.person_suspended", { reason, keepApiKeys });
  if (!(await suspendUser(deps, { userId, reason, keepApiKeys }, events, deps.now()))) throw notFound("Person");
  tellOperators(deps, operator, { what: "personSuspended", id: userId, reason });
}

/** Lets a person sign in again. Throws NOT_FOUND. */
export async function resumePerson(
  deps: Deps,
  operator: SessionPrincipal,
  userId: string,
  { reason }: Suspension,
): Promise<void> {
  const events = ofPerson(operator, userId, "operator.person_resumed", { reason });
  if (!(await resumeUser(deps, userId, events))) throw notFound("Person");
}

/** Ends all sessions of a person. Throws NOT_FOUND. */
export async function endSessions(deps: Deps, operator: SessionPrincipal, userId: string): Promise<void> {
  const events = ofPerson(operator, userId, "operator.sessions_ended");
  if (!(await endSessionsOfUser(deps, userId, events))) throw notFound("Person");
}
