/** Adding an identity to the account of a session, in D1. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../../base/db/client";
import { newId } from "../../../base/db/ids";
import type { Deps } from "../../../base/deps";
import { insertRevert, type NewRevert } from "../../../base/mail/revert-store";
import type { RequestOrigin } from "../../../base/schemas/actor";
import { auditIfChanged, holderOfToken } from "../../../tenancy/audit/record-store";
import type { ProviderIdentity } from "../../providers/identity";
import { insertIdentity, isAdded } from "../../providers/store";
import { endSessionsAndApps } from "../../tokens/revocations-store";
import type { FlowPurpose } from "./flow";

/**
 * `already`: the user has the identity. `taken`: another user has it. `full`: the user has too many. `signedOut`: the
 * session is over.
 */
export type LinkOutcome = "linked" | "already" | "taken" | "full" | "signedOut";

/** Adds an identity if the session has not ended, and ends the user's other sessions. */
export async function insertIdentityBySession(
  { db }: Deps,
  { userId, sessionId }: NonNullable<FlowPurpose["link"]>,
  { identity, revert, origin }: { identity: ProviderIdentity; revert: NewRevert; origin: RequestOrigin },
  nowMs: number,
): Promise<LinkOutcome> {
  const id = newId();
  const session = sql`sessions s WHERE s.id = ${sessionId} AND s.user_id = ${userId} AND s.expires_at > ${nowMs}`;
  const added = isAdded(id, identity);
  const { linked, holders, sessions } = await atomically(db, {
    linked: insertIdentity(id, identity, sql`u.id = ${userId} AND EXISTS (SELECT 1 FROM ${session})`, nowMs),
    recorded: auditIfChanged({
      tenantId: sql`(SELECT s.tenant_id FROM ${session})`,
      action: "auth.identity_linked",
      actor: { ...holderOfToken(sql`${userId}`, origin), sessionId },
      target: { kind: "identity", id },
      meta: { provider: identity.provider },
    }),
    otherSessions: endSessionsAndApps(sql`user_id = ${userId} AND id <> ${sessionId} AND ${added}`, "own", nowMs),
    revert: insertRevert(revert, userId, "identity", { state: sql`, 'identity', ${id}`, condition: added }),
    holders: rows<{ userId: string }>(
      sql`SELECT user_id AS userId FROM identities WHERE issuer = ${identity.issuer} AND sub = ${identity.sub}`,
    ),
    sessions: sql`SELECT 1 FROM ${session}`,
  });
  if (linked.length === 1) return "linked";
  const [holder] = holders;
  if (sessions.length === 0) return "signedOut";
  if (!holder) return "full";
  return holder.userId === userId ? "already" : "taken";
}
