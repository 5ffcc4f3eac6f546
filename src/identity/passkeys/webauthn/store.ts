/** Passkeys in D1, and the challenges that were used. A passkey belongs to a user, not to a tenant. */
import { asc, eq, type SQL, sql } from "drizzle-orm";
import { passkeys } from "../../../platform/db/schema";
import { isUnused, useState } from "../../../platform/db/used-states-store";
import type { Deps } from "../../../platform/deps";

export type PasskeyRow = typeof passkeys.$inferSelect;

/** The passkeys of a user, oldest first. */
export function listPasskeysOfUser({ db }: Deps, userId: string): Promise<PasskeyRow[]> {
  return db
    .select()
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id));
}

/**
 * A correct answer to a challenge. Only the write decides whether the challenge is unused, and whether the counter has
 * gone up.
 */
export interface PasskeyUse {
  passkeyId: string;
  stateId: string;
  counter: number;
  backedUp: boolean;
}

/**
 * A condition that holds while the challenge is unused and the passkey exists. A counter that has not gone up can mean
 * that the authenticator's key was copied. Many authenticators do not count and always send 0.
 */
export function passkeyHolds(userId: string, { passkeyId, stateId, counter }: PasskeyUse): SQL {
  return sql`(${isUnused(stateId)} AND EXISTS (SELECT 1 FROM passkeys WHERE id = ${passkeyId} AND user_id = ${userId}
    AND (counter = 0 OR ${counter} = 0 OR counter < ${counter})))`;
}

/** Uses the passkey and the challenge. Must come after every statement of the batch that uses `passkeyHolds`. */
export function usePasskey(userId: string, use: PasskeyUse, nowMs: number) {
  return {
    passkeyUsed: sql`UPDATE passkeys SET counter = max(counter, ${use.counter}), backed_up = ${use.backedUp ? 1 : 0},
      last_used_at = ${nowMs}
      WHERE id = ${use.passkeyId} AND ${passkeyHolds(userId, use)}`,
    stateUsed: useState(use.stateId),
  };
}
