/**
 * Managed accounts in D1: a connection has made them, and they have no credential of their own and no other tenant.
 * Name and address follow the provider for them alone; those of everybody else are the person's.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Deps } from "../../base/deps";
import { endMailedLinks } from "../../identity/accounts/mailed-links-store";
import { isFreeFor } from "../../identity/addresses-store";
import { isBegun, isTheirs, recordChange, type SignOnOpening } from "./opening-store";
import { domainOf, isProved, type PossibleAccount } from "./world-store";

/** True for a user `u` without a credential of their own, and whom no other connection knows. */
export const hasNothingElse = (connectionId: SQL | string): SQL =>
  sql`(u.password_hash = '' AND u.totp_enabled_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM connection_identities k WHERE k.user_id = u.id AND k.connection_id <> ${connectionId})
    AND NOT EXISTS (SELECT 1 FROM directory_users k WHERE k.user_id = u.id AND k.connection_id <> ${connectionId})
    AND NOT EXISTS (SELECT 1 FROM passkeys p WHERE p.user_id = u.id)
    AND NOT EXISTS (SELECT 1 FROM identities d WHERE d.user_id = u.id))`;

/**
 * True for a user `u` whose account the connection has made, and who has nothing else. `isMaker`: true
 * where a row that is read anyway says so.
 */
export const isManaged = (connectionId: string, tenantId: SQL | string, isMaker = sql`false`): SQL =>
  sql`(${hasNothingElse(connectionId)}
    AND (${isMaker} OR EXISTS (SELECT 1 FROM connection_identities k INDEXED BY connection_identities_by_user
        WHERE k.user_id = u.id AND k.connection_id = ${connectionId} AND k.is_maker = 1)
      OR EXISTS (SELECT 1 FROM directory_users k WHERE k.user_id = u.id AND k.connection_id = ${connectionId}
        AND k.is_maker = 1))
    AND NOT EXISTS (SELECT 1 FROM memberships o WHERE o.user_id = u.id AND o.tenant_id <> ${tenantId}))`;

/** Gives a managed account the name and the address that the provider says. An address that is not free is kept out. */
export function followProvider(
  deps: Deps,
  opening: SignOnOpening,
  account: PossibleAccount,
  nowMs: number,
): Record<string, SQL | undefined> {
  const { signedOn } = opening;
  const { tenantId, connectionId, name, email, emailVerified } = signedOn;
  const { userId } = account;
  const isTheirsHere = sql`u.id = ${userId} AND ${isManaged(connectionId, tenantId)} AND ${isBegun(opening)}
    AND ${isTheirs(opening)}`;
  const changed = (what: "name" | "email") => recordChange(opening, "user.updated", userId, { changed: [what] });
  const isRenamed = name !== null && name !== account.name;
  const isMoved = email !== null && email !== account.email && emailVerified !== false;
  return {
    ...(isRenamed && {
      renamed: sql`UPDATE users AS u SET name = ${name} WHERE ${isTheirsHere} AND u.name IS NOT ${name}`,
      recordedName: changed("name"),
    }),
    ...(isMoved && {
      moved: sql`UPDATE users AS u SET email = ${email}, email_verified_at = ${nowMs}, email_verified_by = 'connection'
        WHERE ${isTheirsHere} AND u.email <> ${email} AND ${isFreeFor(userId, sql`${email}`, nowMs)}
          AND ${isProved(tenantId, domainOf(email))}`,
      recordedAddress: changed("email"),
      // They went to the former address, which may be somebody else's from now on.
      formerLinks: endMailedLinks(
        sql`${userId}`,
        sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId}
        AND email = ${email})`,
      ),
    }),
  };
}
