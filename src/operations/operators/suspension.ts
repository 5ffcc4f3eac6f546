/**
 * Suspending and resuming. A tenant is in both planes: its sends are held or released first, in its delivery database.
 * An operation that fails halfway can be repeated to do the rest.
 */

import type { StepUpCredentials } from "../../identity/step-up/confirm";
import { requireStepUp } from "../../identity/step-up/confirm";
import type { Deps } from "../../platform/deps";
import { AppError, notFound } from "../../platform/errors";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { deleteHold, insertHold } from "./freezes-store";
import { endSessionsOfUser, markTenantResumed, markTenantSuspended, resumeUser, suspendUser } from "./suspend-store";
import { tenantToChange } from "./tenant-to-change";

type Suspension = StepUpCredentials & { reason: string };

/**
 * Suspends a tenant: its credentials are refused, and its deliveries wait. Throws NOT_FOUND, or like `requireStepUp`.
 */
export async function suspendTenant(
  deps: Deps,
  operator: SessionPrincipal,
  id: string,
  { reason, ...proof }: Suspension,
): Promise<void> {
  const { tenantId, shard } = await tenantToChange(deps, operator, id, proof);
  await insertHold(deps.shards.db(shard), { tenantId, cause: "suspended", since: deps.now() }, null);
  await markTenantSuspended(deps, operator, { tenantId, reason }, deps.now());
}

/** Ends the suspension of a tenant; its waiting deliveries are sent. Throws like `suspendTenant`. */
export async function resumeTenant(
  deps: Deps,
  operator: SessionPrincipal,
  id: string,
  { reason, ...proof }: Suspension,
): Promise<void> {
  const { tenantId, shard } = await tenantToChange(deps, operator, id, proof);
  await deleteHold(deps.shards.db(shard), { tenantId, cause: "suspended" }, null);
  await markTenantResumed(deps, operator, { tenantId, reason });
}

/**
 * Suspends a person: all sessions end, and logins are refused, and so are the person's API keys unless `keepApiKeys` is
 * set. Throws NOT_FOUND, CONFLICT for the operator's own account, or like `requireStepUp`.
 */
export async function suspendPerson(
  deps: Deps,
  operator: SessionPrincipal,
  userId: string,
  { reason, keepApiKeys, ...proof }: Suspension & { keepApiKeys: boolean },
): Promise<void> {
  await requireStepUp(deps, operator, proof);
  if (userId === operator.userId) throw new AppError("CONFLICT", { message: "You cannot suspend yourself." });
  if (!(await suspendUser(deps, operator, { userId, reason, keepApiKeys }, deps.now()))) throw notFound("Person");
}

/** Lets a person sign in again. Throws NOT_FOUND, or like `requireStepUp`. */
export async function resumePerson(
  deps: Deps,
  operator: SessionPrincipal,
  userId: string,
  { reason, ...proof }: Suspension,
): Promise<void> {
  await requireStepUp(deps, operator, proof);
  if (!(await resumeUser(deps, operator, { userId, reason }))) throw notFound("Person");
}

/** Ends all sessions of a person. Throws NOT_FOUND, or like `requireStepUp`. */
export async function endSessions(
  deps: Deps,
  operator: SessionPrincipal,
  userId: string,
  proof: StepUpCredentials,
): Promise<void> {
  await requireStepUp(deps, operator, proof);
  if (!(await endSessionsOfUser(deps, operator, userId))) throw notFound("Person");
}
