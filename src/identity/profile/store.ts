/** The name of a user in D1. A user is the same in all tenants; the event goes to the tenant of the session. */
import { sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { auditOfUser } from "../../tenancy/audit/record-store";

/** Gives the caller another name, or none. Writes nothing if it stays the same. */
export async function renameUser(
  { db }: Deps,
  { userId, tenantId, actor }: SessionPrincipal,
  name: string | null,
): Promise<void> {
  await atomically(db, {
    renamed: sql`UPDATE users SET name = ${name} WHERE id = ${userId} AND name IS NOT ${name}`,
    recorded: auditOfUser("auth.name_changed", { tenantId, userId, actor }),
  });
}
