/** The membership of somebody who signs on, in D1: joining, and the role by the connection's rules. */
import { type SQL, sql } from "drizzle-orm";
import type { Deps } from "../../base/deps";
import type { Role } from "../../base/schemas/roles";
import { openByToken } from "../../identity/invitations/join-store";
import { revokeMembers } from "../../identity/tokens/revocations-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { countedMembers } from "../../tenancy/tenants/room-store";
import { isBegun, isTheirs, recordChange, type SignOnOpening } from "./opening-store";
import { hasSameGroupRule, judgeRecordAgain } from "./record-store";
import { isOfSubject } from "./world-store";

/** Holds while the tenant has fewer members than it may have. */
export const hasRoom = ({ config }: Deps, tenantId: string): SQL =>
  sql`(${countedMembers(tenantId)} < ${config.caps.members})`;

/** Holds while the tenant has room, and the invitation is open by which the person joins. */
export function mayJoin(deps: Deps, opening: SignOnOpening, nowMs: number): SQL {
  const { signedOn } = opening;
  const open = openInvitation(opening, nowMs);
  return sql`(${hasRoom(deps, signedOn.tenantId)} AND ${open ? sql`EXISTS (${open})` : sql`true`})`;
}

/** Selects the invitation whose token the person has; null where they join without one. */
const openInvitation = ({ signedOn, verdict }: SignOnOpening, nowMs: number): SQL | null =>
  verdict.isInvited && signedOn.invitationHash !== null && signedOn.email !== null
    ? openByToken(signedOn.invitationHash, signedOn.email, nowMs)
    : null;

/** Makes a membership with this role. That of an invitation was given by hand. */
export function join(deps: Deps, opening: SignOnOpening, role: Role, nowMs: number): Record<string, SQL | undefined> {
  const { signedOn, verdict, session, person } = opening;
  const { tenantId, connectionId } = signedOn;
  const { userId } = session;
  const [maker, roleBy] = verdict.isInvited ? [null, "hand"] : [connectionId, "directory"];
  const target = { kind: "user", id: userId } as const;
  const open = openInvitation(opening, nowMs);
  return {
    membership: sql`INSERT INTO memberships (tenant_id, user_id, role, owner_since, last_used_at, created_at,
        connection_id, role_by)
      SELECT ${tenantId}, i.user_id, ${role}, ${role === "owner" ? nowMs : null}, ${nowMs}, ${nowMs}, ${maker},
        ${roleBy}
      FROM connection_identities i WHERE ${isOfSubject(signedOn)} AND i.user_id = ${userId} AND i.removed_at IS NULL
        AND ${isBegun(opening)} AND ${mayJoin(deps, opening, nowMs)}
        AND ${hasSameGroupRule(signedOn, verdict.isInvited ? undefined : verdict.groupRule)}
      ON CONFLICT DO NOTHING`,
    joined: verdict.isInvited
      ? auditIfChanged({ tenantId, action: "member.joined", actor: person, target, meta: { role } })
      : recordChange(opening, "member.added", userId, { role }),
    record:
      verdict.groupRule === undefined
        ? undefined
        : judgeRecordAgain(
            signedOn,
            sql`EXISTS (SELECT 1 FROM memberships WHERE tenant_id = ${tenantId} AND user_id = ${userId})`,
          ),
    ...(open && {
      // After the statements that ask whether it is open.
      accepted: sql`UPDATE invitations SET accepted_at = ${nowMs}, accepted_by = ${userId} WHERE id = (${open})
        AND EXISTS (SELECT 1 FROM memberships WHERE tenant_id = ${tenantId} AND user_id = ${userId})`,
    }),
  };
}

/** Gives a member another role, unless it is no more what was judged, or somebody has given it by hand since. */
export function giveRole(opening: SignOnOpening, role: Role, nowMs: number): Record<string, SQL> {
  const { signedOn, verdict, session } = opening;
  const { tenantId } = signedOn;
  const { userId } = session;
  const from = verdict.account?.role ?? "";
  const theirs = sql`tenant_id = ${tenantId} AND user_id = ${userId}`;
  return {
    role: sql`UPDATE memberships SET role = ${role} WHERE ${theirs} AND role_by = 'directory' AND role <> 'owner'
      AND role = ${from} AND ${isBegun(opening)} AND ${isTheirs(opening)}
      AND ${hasSameGroupRule(signedOn, verdict.groupRule)}`,
    recordedRole: recordChange(opening, "member.role_changed", userId, { from, to: role }),
    // Each asks whether the statement before it has changed a row, so that nothing is looked up thrice.
    revoked: revokeMembers(sql`${theirs} AND changes() > 0`, nowMs),
  };
}
