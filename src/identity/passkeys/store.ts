/** Adding, renaming and removing passkeys in D1. Passkeys belong to a user, not to a tenant. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../platform/db/client";
import { isUnused, useState } from "../../platform/db/used-states-store";
import type { Deps } from "../../platform/deps";
import { insertUndo, type NewUndo } from "../../platform/mail/undo-store";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { hasOtherWayIn } from "../step-up/ways-in-store";
import type { PasskeyRow } from "./webauthn/store";

/** How many passkeys a user can have. */
export const MAX_PASSKEYS = 10;

export interface NewPasskey {
  row: PasskeyRow;
  /** The id of the challenge's state. */
  stateId: string;
  undo: NewUndo;
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
  { row, stateId, undo }: NewPasskey,
): Promise<AddingOutcome> {
  const isFull = sql`(SELECT count(*) FROM passkeys WHERE user_id = ${userId}) >= ${MAX_PASSKEYS}`;
  const isTaken = sql`EXISTS (SELECT 1 FROM passkeys WHERE id = ${row.id})`;
  const { before, added } = await atomically(db, {
    // First, because it reads what the other statements change.
    before: rows<Obstacles>(sql`SELECT ${isFull} AS isFull, ${isTaken} AS isTaken`),
    added: sql`INSERT INTO passkeys (id, user_id, public_key, counter, transports, backed_up, aaguid, name, created_at)
      SELECT ${row.id}, u.id, ${row.publicKey}, ${row.counter}, ${jsonList(row.transports)}, ${row.backedUp ? 1 : 0},
        ${row.aaguid}, ${row.name},
        ${row.createdAt} FROM users u
      WHERE u.id = ${userId} AND NOT ${isFull} AND NOT ${isTaken} AND ${isUnused(stateId)} RETURNING id`,
    recorded: auditIfChanged({
      tenantId,
      action: "auth.passkey_added",
      actor,
      target: { kind: "user", id: userId },
    }),
    undo: insertUndo(undo, userId, "passkey", {
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

/** Renames a passkey of a user. Returns false when the user has no such passkey. */
export async function renamePasskeyOfUser({ db }: Deps, userId: string, id: string, name: string) {
  const { renamed } = await atomically(db, {
    renamed: sql`UPDATE passkeys SET name = ${name} WHERE id = ${id} AND user_id = ${userId} RETURNING id`,
  });
  return renamed.length === 1;
}

/** `unknown`: the user has no such passkey. `last`: there is no other way to sign in. */
export type RemovalOutcome = { name: string } | "unknown" | "last";

/** Removes a passkey of a user who can sign in without it. */
export async function deletePasskeyOfUser(
  deps: Deps,
  { tenantId, userId, actor }: SessionPrincipal,
  id: string,
): Promise<RemovalOutcome> {
  const { known, removed } = await atomically(deps.db, {
    // First, to tell whether there is a passkey to remove.
    known: sql`SELECT 1 FROM passkeys WHERE id = ${id} AND user_id = ${userId}`,
    removed: rows<{ name: string }>(
      sql`DELETE FROM passkeys WHERE id = ${id} AND user_id = ${userId} AND ${hasOtherWayIn(deps, userId, id)}
        RETURNING name`,
    ),
    recorded: auditIfChanged({
      tenantId,
      action: "auth.passkey_removed",
      actor,
      target: { kind: "user", id: userId },
    }),
  });
  if (known.length === 0) return "unknown";
  return removed[0] ?? "last";
}
