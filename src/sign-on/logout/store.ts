/** Ending the sessions of a sign-out at a provider, in D1. The connection leads to the tenant. */
import { type SQL, sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import { isUnused, useState } from "../../base/db/used-states-store";
import type { Deps } from "../../base/deps";
import type { Actor } from "../../base/schemas/actor";
import { endSessions } from "../../identity/tokens/revocations-store";
import { auditEach } from "../../tenancy/audit/record-store";

/** Whose sessions end: those of one session at the provider, or all of a person there. */
export interface SignedOut {
  connectionId: string;
  generation: number;
  sid: string | null;
  subject: string | null;
  /** Under which the use of the token is stored. */
  useId: string;
}

/** Ends the sessions, with their tokens. Returns false for a token that was used before. */
export async function endSignedOut(
  { db }: Deps,
  { connectionId, generation, sid, subject, useId }: SignedOut,
  actor: Actor,
  nowMs: number,
): Promise<boolean> {
  // By the index of the person: a connection can have very many sessions.
  const theirs: SQL =
    sid === null
      ? sql`+connection_id = ${connectionId} AND user_id = (SELECT i.user_id FROM connection_identities i
          WHERE i.connection_id = ${connectionId} AND i.generation = ${generation} AND i.subject = ${subject})`
      : sql`connection_id = ${connectionId} AND idp_sid = ${sid}`;
  const ended = sql`${theirs} AND ${isUnused(useId)}`;
  const { unused } = await atomically(db, {
    unused: sql`SELECT 1 WHERE ${isUnused(useId)}`,
    recorded: auditEach(
      {
        tenantId: sql`sessions.tenant_id`,
        action: "session.revoked",
        actor,
        target: { kind: "session", id: sql`sessions.id` },
        meta: { method: "sign-on", connection: connectionId },
      },
      sql`sessions WHERE ${ended} AND expires_at > ${nowMs}`,
      nowMs,
    ),
    sessions: endSessions(ended, nowMs),
    // Last: the statements above ask whether it is unused.
    used: useState(useId),
  });
  return unused.length === 1;
}
