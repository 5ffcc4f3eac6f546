/** Changing a member's role and removing a member. */
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import { isConfined, OWN_CREDENTIALS_NEEDED, type SessionPrincipal } from "../../base/schemas/principal";
import type { Role } from "../../base/schemas/roles";
import { refuseNewOwner } from "../../tenancy/tenants/roles-store";
import { isConfirmed } from "../step-up/confirm";
import { type EndedApiKey, namesOfKeys } from "./ended-keys";
import type { MemberRow } from "./list-store";
import {
  deleteMember,
  deleteOwnMembership,
  giveUpRole,
  type MemberChange,
  type MemberChangeOutcome,
  updateRole,
} from "./store";
import { tellOfMember } from "./tell";

/**
 * Gives a member of the actor's tenant another role. Throws NOT_FOUND, FORBIDDEN, STEP_UP_REQUIRED if the old or the
 * new role is owner, CONFLICT for the last owner.
 */
export const changeRole = (deps: Deps, actor: SessionPrincipal, userId: string, role: Role): Promise<MemberRow> =>
  changeRoleAndTell(deps, changeBy(deps, actor, userId), role, actor.account.email);

/**
 * Lets the rules of the tenant's own sign-on give a member's role again, from their next sign-on. Throws NOT_FOUND,
 * FORBIDDEN, and CONFLICT for an owner and for a member who does not sign on.
 */
export async function followRules(deps: Deps, actor: SessionPrincipal, userId: string): Promise<MemberRow> {
  const { outcome, member } = await giveUpRole(deps, changeBy(deps, actor, userId), deps.now());
  if (outcome !== "unruled") requireChanged(outcome);
  if (!member) throw notFound("Member");
  if (outcome === "changed") return member;
  throw new AppError("CONFLICT", {
    message: "No rule gives this member a role: they are an owner, or do not sign on.",
  });
}

/** Gives a member another role and tells the owners, in the name of `by`. Throws as above. */
export async function changeRoleAndTell(deps: Deps, change: MemberChange, role: Role, by: string): Promise<MemberRow> {
  const { outcome, member, formerRole } = await updateRole(deps, change, role, deps.now());
  requireChanged(outcome);
  if (!member) throw notFound("Member");
  const news = { what: "roleChanged", by, person: member.email, role } as const;
  tellOfMember(deps, { ...change, formerRole: formerRole ?? "", role }, news);
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
  if (member) {
    const news = { what: "removed", by, person: member.email, keys: namesOfKeys(endedKeys) } as const;
    tellOfMember(deps, { ...change, formerRole: member.role, role: null }, news);
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
  const news = { what: "left", person: caller.account.email, keys: namesOfKeys(endedKeys) } as const;
  tellOfMember(deps, { ...change, formerRole: caller.role, role: null }, news);
  return endedKeys;
}

function changeBy(deps: Deps, caller: SessionPrincipal, userId: string): MemberChange {
  const { tenantId, userId: actorId, actor } = caller;
  const confined = isConfined(caller);
  return {
    tenantId,
    actorId,
    userId,
    actor,
    isConfirmed: isConfirmed(deps, caller) && !confined,
    isConfined: confined,
  };
}

/** Throws what the outcome of a change stands for, unless it was made. */
function requireChanged(outcome: MemberChangeOutcome): void {
  if (outcome === "missing") throw notFound("Member");
  if (outcome === "forbidden") throw new AppError("FORBIDDEN");
  if (outcome === "confined") throw new AppError("FORBIDDEN", { message: OWN_CREDENTIALS_NEEDED });
  if (outcome === "unconfirmed") throw new AppError("STEP_UP_REQUIRED");
  if (typeof outcome === "object") refuseNewOwner(outcome.newOwnerUntil);
  if (outcome === "lastOwner") {
    throw new AppError("CONFLICT", { message: "The last owner cannot be removed or demoted." });
  }
}
