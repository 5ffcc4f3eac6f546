/** Changing a member's role and removing a member. */
import type { Deps } from "../deps";
import { AppError, notFound } from "../errors";
import type { Principal } from "../tenants/principal";
import type { Role } from "../tenants/roles";
import {
  deleteMember,
  deleteOwnMembership,
  type MemberChange,
  type MemberChangeOutcome,
  type MemberRow,
  updateRole,
} from "./store";

/** Gives a member of the actor's tenant another role. Throws NOT_FOUND, FORBIDDEN, CONFLICT for the last owner. */
export async function changeRole(deps: Deps, actor: Principal, userId: string, role: Role): Promise<MemberRow> {
  const { outcome, member } = await updateRole(deps, changeBy(actor, userId), role, deps.now());
  requireChanged(outcome);
  if (!member) throw notFound("Member");
  return member;
}

/** Removes a member of the actor's tenant, their sessions and API keys there. Throws NOT_FOUND, FORBIDDEN, CONFLICT for the last owner. */
export async function removeMember(deps: Deps, actor: Principal, userId: string): Promise<void> {
  requireChanged(await deleteMember(deps, changeBy(actor, userId), deps.now()));
}

/** Ends the caller's own membership of their tenant, with their sessions and API keys there. Throws LAST_OWNER. */
export async function leaveTenant(deps: Deps, caller: Principal): Promise<void> {
  const outcome = await deleteOwnMembership(deps, caller, deps.now());
  if (outcome === "lastOwner") throw new AppError("LAST_OWNER");
  requireChanged(outcome);
}

const changeBy = ({ tenantId, userId: actorId, actor }: Principal, userId: string): MemberChange => ({
  tenantId,
  actorId,
  userId,
  actor,
});

function requireChanged(outcome: MemberChangeOutcome): void {
  if (outcome === "missing") throw notFound("Member");
  if (outcome === "forbidden") throw new AppError("FORBIDDEN");
  if (outcome === "lastOwner") {
    throw new AppError("CONFLICT", { message: "The last owner cannot be removed or demoted." });
  }
}
