/**
 * "This was not me" about a sign-on with the tenant's own provider, in D1: the provider has said that an account is
 * somebody's whose it is not. It does not open the account again unless the person is added or invited.
 */
import { type SQL, sql } from "drizzle-orm";
import type { RequestOrigin } from "../../base/schemas/actor";
import { auditEach, holderOfToken } from "../../tenancy/audit/record-store";
import { endSessionsOfMembers } from "../tokens/revocations-store";

interface Undone {
  /** The person. */
  subject: SQL;
  /** A field of what the link has stored. */
  stored: (field: string) => SQL;
  origin: RequestOrigin;
}

/** Ends the identity, and the membership if the connection has made it. An owner stays one. */
export function endSignOn(isLive: SQL, { subject, stored, origin }: Undone, nowMs: number) {
  const made = sql`tenant_id = ${stored("tenant")} AND user_id = ${subject} AND ${isLive}
    AND EXISTS (SELECT 1 FROM memberships mm WHERE mm.tenant_id = ${stored("tenant")} AND mm.user_id = ${subject}
      AND mm.connection_id = ${stored("connection")} AND mm.role <> 'owner')`;
  return {
    signOnEnded: sql`UPDATE connection_identities INDEXED BY connection_identities_by_user SET removed_at = ${nowMs}
      WHERE id = ${stored("signOn")} AND user_id = ${subject} AND connection_id = ${stored("connection")}
        AND ${isLive}`,
    signOnLeft: auditEach(
      {
        tenantId: sql`memberships.tenant_id`,
        action: "member.left",
        actor: holderOfToken(subject, origin),
        target: { kind: "user", id: subject },
        meta: { reason: "not-me" },
      },
      sql`memberships WHERE ${made}`,
      nowMs,
    ),
    signOnSessions: endSessionsOfMembers(made, nowMs),
    signOnMembership: sql`DELETE FROM memberships WHERE ${made}`,
  };
}
