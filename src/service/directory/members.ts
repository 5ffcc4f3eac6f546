/** What a platform key does with the members of tenants. */

import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import type { PlatformKeyPrincipal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { pageOf } from "../../base/schemas/time-page-schemas";
import { iso } from "../../base/time";
import { changeRoleAndTell, removeAndTell } from "../../identity/members/changes";
import type { MemberChange } from "../../identity/members/store";
import { requireTenant, requireUser } from "../../identity/platform-keys/subjects";
import { metadataOf } from "../../tenancy/directory/metadata";
import { tellOfJoining } from "../../tenancy/tenants/owner-notices";
import { insertMember, listMembersAfter, type MemberRecordRow, updateMember } from "./members-store";
import type { MemberQuery, MemberRecord, NewPlatformMember, PlatformMemberChange } from "./schemas";

type Key = PlatformKeyPrincipal;

const view = (row: MemberRecordRow): MemberRecord => ({
  userId: row.userId,
  externalId: row.externalId,
  email: row.email,
  name: row.name,
  role: row.role,
  joinedAt: iso(row.joinedAt),
  metadata: metadataOf(row.metadata),
  publicMetadata: metadataOf(row.publicMetadata),
});

/** A page of a tenant's members, oldest first. Throws NOT_FOUND. */
export async function membersOf(deps: Deps, key: Key, ref: string, { limit, cursor }: MemberQuery) {
  const { tenantId } = await requireTenant(deps, key, ref);
  const rows = await listMembersAfter(deps, tenantId, limit, cursor);
  return pageOf(rows, limit, ({ joinedAt, userId }) => ({ at: joinedAt, id: userId }), view);
}

/**
 * Adds a member, who may be one already. Throws NOT_FOUND, and CONFLICT for another role, in a full tenant and for
 * whoever has left.
 */
export async function addMember(
  deps: Deps,
  key: Key,
  ref: string,
  { user, role, ...metadata }: NewPlatformMember,
): Promise<{ member: MemberRecord; isNew: boolean }> {
  const { tenantId } = await requireTenant(deps, key, ref);
  const { userId, email } = await requireUser(deps, user);
  const added = await insertMember(deps, key, { ...metadata, tenantId, userId, email, role }, deps.now());
  const { row, isNew } = added;
  if (!row && added.isDeactivated) throw new AppError("CONFLICT", { message: DEACTIVATED });
  if (!row) throw capReached("members", deps.config.caps);
  if (row.role !== role) throw new AppError("CONFLICT", { message: `The user is a member with the role ${row.role}.` });
  if (isNew) tellOfJoining(deps, { tenantId, role }, { userId, email });
  return { member: view(row), isNew };
}

const DEACTIVATED = "The tenant's directory says that the user has left.";

/** Changes the role first: one that is refused changes nothing. Throws NOT_FOUND, and CONFLICT for the last owner. */
export async function changeMemberBy(
  deps: Deps,
  key: Key,
  ref: string,
  user: string,
  { role, ...metadata }: PlatformMemberChange,
): Promise<MemberRecord> {
  const change = await changeOf(deps, key, ref, user);
  if (role !== undefined) await changeRoleAndTell(deps, change, role, nameOf(key));
  const row = await updateMember(deps, key, change, metadata);
  if (!row) throw notFound("Member");
  return view(row);
}

/** Removes a member. Returns their API keys, which have ended. Throws NOT_FOUND, and CONFLICT for the last owner. */
export const removeMemberBy = async (deps: Deps, key: Key, ref: string, user: string) =>
  removeAndTell(deps, await changeOf(deps, key, ref, user), nameOf(key));

const nameOf = ({ actor }: Key): string => actor.name ?? "A platform key";

async function changeOf(deps: Deps, key: Key, ref: string, user: string): Promise<MemberChange> {
  const { tenantId } = await requireTenant(deps, key, ref);
  const { userId } = await requireUser(deps, user);
  const { actor } = key;
  return { tenantId, actorId: null, userId, actor, isConfirmed: true, alsoIn: PLATFORM_TENANT };
}
