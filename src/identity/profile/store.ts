/**
 * The name and the language of a user in D1. A user is the same in all tenants; the event goes to the tenant of the
 * session.
 */
import { sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Locale } from "../../base/schemas/locales";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { auditOfUser } from "../../tenancy/audit/record-store";

/** What a user changes about themselves. What is undefined stays; null removes it. */
export interface ProfileChange {
  name?: string | null | undefined;
  locale?: Locale | null | undefined;
}

/** Gives the caller another name or language. Writes nothing that stays the same, and records a new name. */
export async function changeProfile(
  { db }: Deps,
  { userId, tenantId, actor }: SessionPrincipal,
  { name, locale }: ProfileChange,
): Promise<void> {
  await atomically(db, {
    ...(locale !== undefined && {
      translated: sql`UPDATE users SET locale = ${locale} WHERE id = ${userId} AND locale IS NOT ${locale}`,
    }),
    ...(name !== undefined && {
      renamed: sql`UPDATE users SET name = ${name} WHERE id = ${userId} AND name IS NOT ${name}`,
      recorded: auditOfUser("auth.name_changed", { tenantId, userId, actor }),
    }),
  });
}
