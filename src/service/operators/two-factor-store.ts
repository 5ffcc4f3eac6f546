/** Whether a person has a second factor that a mailed link can remove, in D1. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { auditEach } from "../../tenancy/audit/record-store";
import { ofPerson } from "../acting/audit-store";

/**
 * Reads the state of a person. If a link will be mailed to them, also records that. Undefined when there is no such
 * account.
 */
export async function askForRemoval({ db }: Deps, operator: SessionPrincipal, userId: string, nowMs: number) {
  const { found } = await atomically(db, {
    found: rows<{ totpEnabledAt: number | null; emailVerifiedAt: number | null }>(
      sql`SELECT totp_enabled_at AS totpEnabledAt, email_verified_at AS emailVerifiedAt FROM users
        WHERE id = ${userId}`,
    ),
    recorded: ofPerson(operator, userId, "operator.2fa_removal_mailed").map((event) =>
      auditEach(
        event,
        sql`users u WHERE u.id = ${userId} AND u.totp_enabled_at IS NOT NULL AND u.email_verified_at IS NOT NULL`,
        nowMs,
      ),
    ),
  });
  return found[0];
}
