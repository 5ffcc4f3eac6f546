/**
 * "This was not me" links in D1. The write that a notice reports also stores its link, with the state to restore, so
 * that a notice never lacks one. `recovery/revert-store.ts` carries out what is stored here.
 */
import { type SQL, sql } from "drizzle-orm";
import type { KeyRing } from "../crypto/keys";
import { newId } from "../db/ids";
import { HOUR_MS } from "../time";
import { mailToken } from "./token";

const REVERT_LIFETIME_MS = 72 * HOUR_MS;

/** What a link undoes. Every kind revokes all API keys, and every kind except "apiKeys" also ends all sessions. */
export type RevertKind =
  | "password"
  | "email"
  | "twoFactorOn"
  | "twoFactorOff"
  | "recoveryCodes"
  | "passkey"
  | "identity"
  | "apiKey"
  | "apiKeys"
  | "app"
  | "signOn"
  | "signIn";

/** A link to be stored, and the id of the mail that carries it. */
export interface NewRevert {
  mailId: string;
  hash: string;
  /** The hash of the second link in a mail about a password, which only revokes API keys. */
  revokeApiKeysHash: string;
  createdAt: number;
}

/** Makes the link of a notice. Call it before the write that the notice reports. */
export async function newRevert(keys: KeyRing, nowMs: number): Promise<NewRevert> {
  const mailId = newId();
  const { hash } = await mailToken(keys, "undo", mailId);
  const { hash: revokeApiKeysHash } = await mailToken(keys, "revoke-api-keys", mailId);
  return { mailId, hash, revokeApiKeysHash, createdAt: nowMs };
}

/**
 * Stores a link for a user `u` if `condition` holds. `state` is the state to restore, as further arguments of SQL's
 * `json_object`. `email` is an address that nobody else can take while the link works.
 */
export function insertRevert(
  { hash, createdAt }: Pick<NewRevert, "hash" | "createdAt">,
  userId: string | SQL,
  kind: RevertKind,
  { state = sql``, email = sql`NULL`, condition = sql`1` }: { state?: SQL; email?: SQL; condition?: SQL } = {},
): SQL {
  return sql`INSERT INTO email_tokens (hash, purpose, subject_id, action, email, created_at, expires_at)
    SELECT ${hash}, 'undo', u.id, json_object('kind', ${kind} ${state}), ${email}, ${createdAt},
      ${createdAt + REVERT_LIFETIME_MS}
    FROM users u WHERE u.id = ${userId} AND ${condition}`;
}

/** Stores both links of a notice about a changed password; the second link only for a user who has API keys. */
export const insertPasswordReverts = (undo: NewRevert, userId: string, condition: SQL) => ({
  undo: insertRevert(undo, userId, "password", { condition }),
  revokeApiKeys: insertRevert({ ...undo, hash: undo.revokeApiKeysHash }, userId, "apiKeys", {
    condition: sql`${condition} AND EXISTS (SELECT 1 FROM api_keys WHERE user_id = u.id AND revoked_at IS NULL)`,
  }),
});
