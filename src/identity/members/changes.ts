/** Changing a member's role and removing a member. */
import type { Deps } from "../../platform/deps";
import { AppError, notFound } from "../../platform/errors";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { managesMembers, type Role } from "../../platform/schemas/roles";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { refuseNewOwner } from "../../tenancy/tenants/roles-store";
import { isConfirmed } from "../step-up/confirm";
import { type EndedApiKey, namesOfKeys } from "./ended-keys";
import {
  deleteMember,
  deleteOwnMembership,
  type MemberChange,
  type MemberChangeOutcome,
  type MemberRow,
  updateRole,
} from "./store";

/**
 * Gives a member of the actor's tenant another role. Throws NOT_FOUND, FORBIDDEN, STEP_UP_REQUIRED if the old or the
 * new role is owner, CONFLICT for the last owner.
 */
export async function changeRole(deps: Deps, actor: SessionPrincipal, userId: string, role: Role): Promise<MemberRow> {
  const { outcome, member, formerRole } = await updateRole(deps, changeBy(deps, actor, userId), role, deps.now());
  requireChanged(outcome);
  if (!member) throw notFound("Member");
  if (formerRole !== role && (managesMembers(role) || managesMembers(formerRole ?? ""))) {
    const news = { what: "roleChanged", by: actor.account.email, person: member.email, role } as const;
    tellOwners(deps, actor.tenantId, news, userId);
  }
  return member;
}

/**
 * Removes a member of the actor's tenant, their sessions and API keys there. Returns these keys. Throws NOT_FOUND,
 * FORBIDDEN, STEP_UP_REQUIRED for an owner, CONFLICT for the last owner.
 */
export const removeMember = (deps: Deps, actor: SessionPrincipal, userId: string): Promise<EndedApiKey[]> =>
  removeAndTell(deps, changeBy(deps, actor, userId), actor.account.email);

/** Removes a member and tells the owners, in the name of `by`. Returns the keys that ended, and throws as above. */
export async function removeAndTell(deps: Deps, change: MemberChange, by: string): Promise<EndedApiKey[]> {
  const { outcome, member, endedKeys } = await deleteMember(deps, change, deps.now());
  requireChanged(outcome);
  if (member && (managesMembers(member.role) || endedKeys.length > 0)) {
    const news = { what: "removed", by, person: member.email, keys: namesOfKeys(endedKeys) } as const;
    tellOwners(deps, change.tenantId, news, change.userId);
  }
  return endedKeys;
}

/**
 * Ends the caller's own membership of their tenant, with their sessions and API keys there. Returns these keys. Throws
 * LAST_OWNER, and STEP_UP_REQUIRED for an owner.
 */
export async function leaveTenant(deps: Deps, caller: SessionPrincipal): Promise<EndedApiKey[]> {
  const change = changeBy(deps, caller, caller.userId);
  const { outcome, endedKeys } = await deleteOwnMembership(deps, change, deps.now());
  if (outcome === "lastOwner") throw new AppError("LAST_OWNER");
  requireChanged(outcome);
  if (managesMembers(caller.role) || endedKeys.length > 0) {
    tellOwners(deps, caller.tenantId, {
      what: "left",
      person: caller.account.email,
      keys: namesOfKeys(endedKeys),
    });
  }
  return endedKeys;
}

function changeBy(deps: Deps, caller: SessionPrincipal, userId: string): MemberChange {
  const { tenantId, userId: actorId, actor } = caller;
  return { tenantId, actorId, userId, actor, isConfirmed: isConfirmed(deps, caller) };
}

/** Throws what the outcome of a change stands for, unless it was made. */
export function requireChanged(outcome: MemberChangeOutcome): void {
  if (outcome === "missing") throw notFound("Member");
  if (outcome === "forbidden") throw new AppError("FORBIDDEN");
  if (outcome === "unconfirmed") throw new AppError("STEP_UP_REQUIRED");
  if (typeof outcome === "object") refuseNewOwner(outcome.newOwnerUntil);
  if (outcome === "lastOwner") {
    throw new AppError("CONFLICT", { message: "The last owner cannot be removed or demoted." });
  }
}
