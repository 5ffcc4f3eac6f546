/**
 * Taking an account over whose address was never proven, in D1: the tenant has proved the domain, and its directory
 * says whose the address is. Whoever has registered it loses what they have set up.
 */
import { sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { EndedAccess } from "../../base/mail/job";
import { endedOf, reclaim } from "../../identity/reclaim/reclaim-store";
import { domainOf, isProved } from "../../sign-on/people/world-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import type { DirectoryActor } from "../callers/caller";

/** Returns what ended; undefined when the address was proven in the meantime, or the domain is the tenant's no more. */
export async function takeOverByDirectory(
  { db }: Deps,
  { tenantId, connectionId, actor }: DirectoryActor,
  { userId, email }: { userId: string; email: string },
  nowMs: number,
): Promise<EndedAccess | undefined> {
  const stands = isProved(tenantId, domainOf(email));
  const isUnproven = sql`id = ${userId} AND email = ${email} AND email_verified_at IS NULL AND ${stands}`;
  const { ended } = await atomically(db, {
    password: sql`UPDATE users SET password_hash = '' WHERE ${isUnproven}`,
    ...reclaim(userId, stands, nowMs),
    // Last of the changes: the statements above ask whether the address is unproven.
    verified: sql`UPDATE users SET email_verified_at = ${nowMs}, email_verified_by = 'connection' WHERE ${isUnproven}`,
    recorded: auditIfChanged({
      tenantId,
      action: "auth.email_verified",
      actor,
      target: { kind: "user", id: userId },
      meta: { method: "directory", connection: connectionId },
    }),
  });
  return endedOf(ended);
}
