/** Passkeys in D1, and the challenges that were used. A passkey belongs to a user, not to a tenant. */
import { asc, eq, type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, query, rows, violates } from "../../base/db/client";
import { isUnused, useState } from "../../base/db/used-states-store";
import type { Deps } from "../../base/deps";
import { insertRevert, type NewRevert } from "../../base/mail/revert-store";
import type { AuthMethod, SessionPrincipal } from "../../base/schemas/principal";
import { passkeys } from "../../base/tables/credentials";
import { auditOfUser } from "../../tenancy/audit/record-store";
import { hasOtherSignInMethod } from "../sign-in-methods-store";
import { revokeWithoutFactor } from "../tokens/revocations-store";

export type PasskeyRow = typeof passkeys.$inferSelect;

/** The passkeys of a user, oldest first. */
export function listPasskeysOfUser({ db }: Deps, userId: string): Promise<PasskeyRow[]> {
  return db
    .select()
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id));
}

/** How many passkeys a user can have. */
export const MAX_PASSKEYS = 10;

export interface NewPasskey {
  row: PasskeyRow;
  /** The id of the challenge's state. */
  stateId: string;
  revert: NewRevert;
}

/** Why a passkey cannot be added; 1 for true. */
interface Obstacles {
  isFull: 0 | 1;
  isTaken: 0 | 1;
}

/**
 * The outcome of adding a passkey. `full`: the user has too many. `taken`: it exists already. `used`: the challenge was
 * used before.
 */
export type AddingOutcome = "added" | "full" | "taken" | "used";

/** Stores a passkey and the link that removes it again, and uses the challenge. */
export async function insertPasskey(
  { db }: Deps,
  { tenantId, userId, actor }: SessionPrincipal,
  { row, stateId, revert }: NewPasskey,
): Promise<AddingOutcome> {
  const isFull = sql`(SELECT count(*) FROM passkeys WHERE user_id = ${userId}) >= ${MAX_PASSKEYS}`;
  const isTaken = sql`EXISTS (SELECT 1 FROM passkeys WHERE id = ${row.id})`;
  const { before, added } = await atomically(db, {
    // First, because it reads what the other statements change.
    before: rows<Obstacles>(sql`SELECT ${isFull} AS isFull, ${isTaken} AS isTaken`),
    added: sql`${insertRow(row)} AND NOT ${isFull} AND NOT ${isTaken} AND ${isUnused(stateId)} RETURNING id`,
    recorded: auditOfUser("auth.passkey_added", { tenantId, userId, actor }),
    revert: insertRevert(revert, userId, "passkey", {
      state: sql`, 'passkey', ${row.id}`,
      condition: sql`${isUnused(stateId)} AND EXISTS (SELECT 1 FROM passkeys WHERE id = ${row.id} AND user_id = u.id)`,
    }),
    // Last: the statements above ask whether the challenge is unused.
    used: useState(stateId),
  });
  if (added.length === 1) return "added";
  const [obstacles] = before;
  if (obstacles?.isFull) return "full";
  return obstacles?.isTaken ? "taken" : "used";
}

/** Adds a passkey to its user, if the condition that may follow holds. */
const insertRow = (row: PasskeyRow): SQL =>
  sql`INSERT INTO passkeys (id, user_id, public_key, counter, transports, backed_up, aaguid, name, created_at)
    SELECT ${row.id}, u.id, ${row.publicKey}, ${row.counter}, ${jsonList(row.transports)}, ${row.backedUp ? 1 : 0},
      ${row.aaguid}, ${row.name}, ${row.createdAt}
    FROM users u WHERE u.id = ${row.userId}`;

/** The passkey with which somebody registers. */
export type FirstPasskey = Pick<NewPasskey, "row" | "stateId">;

/**
 * Stores the passkey of a new user and uses its challenge, after the statement that writes the user. The batch throws
 * (`isPasskeyUsed`) when either was used before.
 */
export const insertFirstPasskey = ({ row, stateId }: FirstPasskey) => ({
  passkey: insertRow(row),
  passkeyState: sql`INSERT INTO used_states (id) SELECT ${stateId} FROM users WHERE id = ${row.userId}`,
});

/** Whether a write failed because the passkey or its challenge was used before. */
export const isPasskeyUsed = (error: unknown): boolean =>
  violates(error, "UNIQUE", "passkeys.id") || violates(error, "UNIQUE", "used_states.id");

/** Renames a passkey of a user. Returns false when the user has no such passkey. */
export async function renamePasskeyOfUser({ db }: Deps, userId: string, id: string, name: string) {
  const renamed = await query(db)`UPDATE passkeys SET name = ${name} WHERE id = ${id} AND user_id = ${userId}
    RETURNING id`;
  return renamed.length === 1;
}

/** `unknown`: the user has no such passkey. `last`: there is no other way to sign in. */
export type PasskeyRemoval = { name: string } | "unknown" | "last";

/** Removes a passkey of a user who can sign in without it. */
export async function deletePasskeyOfUser(
  deps: Deps,
  { tenantId, userId, actor }: SessionPrincipal,
  id: string,
): Promise<PasskeyRemoval> {
  const { known, removed } = await atomically(deps.db, {
    // First, to tell whether there is a passkey to remove.
    known: sql`SELECT 1 FROM passkeys WHERE id = ${id} AND user_id = ${userId}`,
    removed: rows<{ name: string }>(
      sql`DELETE FROM passkeys WHERE id = ${id} AND user_id = ${userId} AND ${hasOtherSignInMethod(deps, userId, id)}
        RETURNING name`,
    ),
    recorded: auditOfUser("auth.passkey_removed", { tenantId, userId, actor }),
    // Where a tenant requires a second factor, sessions that the passkey has opened owe one now.
    revoked: revokeWithoutFactor(
      sql`user_id = ${userId} AND NOT EXISTS (SELECT 1 FROM passkeys WHERE id = ${id})`,
      deps.now(),
    ),
  });
  if (known.length === 0) return "unknown";
  return removed[0] ?? "last";
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

/** What the use of a passkey proves, as a session stores it. */
export const methodsOfPasskey = ({ backedUp }: Pick<PasskeyUse, "backedUp">): AuthMethod[] =>
  backedUp ? ["passkey", "synced-passkey"] : ["passkey"];

/**
 * A condition that holds while the challenge is unused and the passkey exists. A counter that has not gone up can mean
 * that the authenticator's key was copied (WebAuthn level 3, section 7.2, step 22). Many authenticators do not count
 * and always send 0.
 */
export function passkeyStillValid(userId: string, { passkeyId, stateId, counter }: PasskeyUse): SQL {
  return sql`(${isUnused(stateId)} AND EXISTS (SELECT 1 FROM passkeys WHERE id = ${passkeyId} AND user_id = ${userId}
    AND (counter = 0 AND ${counter} = 0 OR counter < ${counter})))`;
}

/** Uses the passkey and the challenge. Must come after every statement of the batch that uses `passkeyStillValid`. */
export function usePasskey(userId: string, use: PasskeyUse, nowMs: number) {
  return {
    passkeyUsed: sql`UPDATE passkeys SET counter = max(counter, ${use.counter}), backed_up = ${use.backedUp ? 1 : 0},
      last_used_at = ${nowMs}
      WHERE id = ${use.passkeyId} AND ${passkeyStillValid(userId, use)}`,
    stateUsed: useState(use.stateId),
  };
}
