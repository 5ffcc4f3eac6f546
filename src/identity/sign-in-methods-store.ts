/** The ways in which a user can sign in, as SQL: the last one must not be removed. */
import { type SQL, sql } from "drizzle-orm";
import { jsonList } from "../base/db/client";
import type { Deps } from "../base/deps";
import { PROVIDER_NAMES } from "../base/schemas/schemas";

/**
 * True for a user who can sign in without this passkey or identity. A password does not count where passwords are
 * off, nor an identity at a provider that is off, nor mails with a code or a reset link.
 */
export function hasOtherSignInMethod({ config }: Deps, userId: string, removedId: string): SQL {
  const on = PROVIDER_NAMES.filter((name) => config.providers[name]);
  const hasPassword = sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND password_hash <> '')`;
  return sql`(${config.passwords === "on" ? hasPassword : sql`0`}
    OR EXISTS (SELECT 1 FROM passkeys op WHERE op.user_id = ${userId} AND op.id <> ${removedId})
    OR EXISTS (SELECT 1 FROM identities oi WHERE oi.user_id = ${userId} AND oi.id <> ${removedId}
      AND oi.provider IN (SELECT value FROM json_each(${jsonList(on)}))))`;
}
