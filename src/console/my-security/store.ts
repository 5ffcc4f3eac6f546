/** What My security shows of a user, of all tenants, in one round trip. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { confinedTo, type SessionPrincipal } from "../../base/schemas/principal";
import type { PasskeyRow } from "../../identity/passkeys/store";
import type { IdentityRow } from "../../identity/providers/store";
import { APPS_OF_SESSION } from "../../identity/sessions/store";
import type { SessionRow } from "../../identity/sessions/view";

type StoredPasskey = Omit<PasskeyRow, "transports" | "backedUp"> & { transports: string; backedUp: 0 | 1 };

export interface OwnAccess {
  /** Newest first. */
  sessions: SessionRow[];
  /** Oldest first, as the identities. */
  passkeys: PasskeyRow[];
  identities: IdentityRow[];
  /** Whether the user can sign in with one. */
  hasPassword: boolean;
  /** The address that waits for its confirmation; null for none. */
  pendingEmail: string | null;
}

/** How a user gets in, and what they wait for. A confined session shows the sessions in its tenant alone. */
export async function readOwnAccess({ db, config }: Deps, caller: SessionPrincipal, nowMs: number): Promise<OwnAccess> {
  const [userId, only] = [caller.userId, confinedTo(caller)];
  const { sessions, passkeys, identities, passwords, pending } = await atomically(db, {
    sessions:
      rows<SessionRow>(sql`SELECT id, device_name AS deviceName, browser, operating_system AS operatingSystem, platform,
        ip_address AS ipAddress, location, created_at AS createdAt, expires_at AS expiresAt, last_activity_at
          AS lastActivityAt, ${APPS_OF_SESSION} AS apps
      FROM sessions WHERE user_id = ${userId} AND expires_at > ${nowMs}
        AND (${only} IS NULL OR tenant_id = ${only}) ORDER BY created_at DESC, id DESC`),
    passkeys:
      rows<StoredPasskey>(sql`SELECT id, user_id AS userId, public_key AS publicKey, counter, transports, backed_up
        AS backedUp, aaguid, name,
        created_at AS createdAt, last_used_at AS lastUsedAt
      FROM passkeys WHERE user_id = ${userId} ORDER BY created_at, id`),
    identities:
      rows<IdentityRow>(sql`SELECT issuer, sub, id, user_id AS userId, provider, email, created_at AS createdAt,
        last_used_at AS lastUsedAt
      FROM identities WHERE user_id = ${userId} ORDER BY created_at, id`),
    pending: rows<{ email: string }>(sql`SELECT email FROM email_tokens
      WHERE subject_id = ${userId} AND purpose = 'change-email' AND expires_at > ${nowMs}`),
    passwords: sql`SELECT 1 FROM users WHERE id = ${userId} AND password_hash <> ''`,
  });
  return {
    sessions,
    identities,
    hasPassword: config.passwords === "on" && passwords.length === 1,
    pendingEmail: pending[0]?.email ?? null,
    passkeys: passkeys.map((row) => ({
      ...row,
      transports: JSON.parse(row.transports) as string[],
      backedUp: row.backedUp === 1,
    })),
  };
}
