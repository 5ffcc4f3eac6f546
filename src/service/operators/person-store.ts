/** A person as operators see them: states and counts, across tenants. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import type { Role } from "../../base/schemas/roles";
import { auditEach } from "../../tenancy/audit/record-store";
import { ofPerson } from "../acting/audit-store";

const MAX_TENANTS = 50;

/** Times are Unix ms. */
export interface PersonRow {
  id: string;
  externalId: string | null;
  email: string;
  name: string | null;
  createdAt: number;
  suspendedAt: number | null;
  suspendedReason: string | null;
  emailVerifiedAt: number | null;
  totpEnabledAt: number | null;
  sessions: number;
  apiKeys: number;
}

/** Reads a person and records that the operator has read them; undefined when there is no such account. */
export async function readPersonOf({ db }: Deps, operator: SessionPrincipal, userId: string, nowMs: number) {
  const { found, tenants } = await atomically(db, {
    found: rows<PersonRow>(sql`SELECT u.id, u.external_id AS externalId, u.email, u.name,
        u.created_at AS createdAt, u.suspended_at AS suspendedAt,
        u.suspended_reason AS suspendedReason, u.email_verified_at AS emailVerifiedAt, u.totp_enabled_at
          AS totpEnabledAt,
        (SELECT count(*) FROM sessions s WHERE s.user_id = u.id AND s.expires_at > ${nowMs}) AS sessions,
        (SELECT count(*) FROM api_keys k WHERE k.user_id = u.id AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > ${nowMs})) AS apiKeys
      FROM users u WHERE u.id = ${userId}`),
    tenants: rows<{ id: string; name: string; role: Role }>(sql`SELECT t.id, t.name, m.role
      FROM memberships m CROSS JOIN tenants t ON t.id = m.tenant_id WHERE m.user_id = ${userId}
      ORDER BY m.last_used_at DESC, m.created_at, t.id LIMIT ${MAX_TENANTS}`),
    recorded: ofPerson(operator, userId, "operator.person_read").map((event) =>
      auditEach(event, sql`users u WHERE u.id = ${userId}`, nowMs),
    ),
  });
  const [person] = found;
  return person && { person, tenants };
}
