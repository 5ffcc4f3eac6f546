/** Reads what mails need from D1. A user is looked up across tenants. */
import { sql } from "drizzle-orm";
import type { Recipient } from "../identity/recovery/store";
import { atomically, rows } from "../platform/db/client";
import type { Deps } from "../platform/deps";

/** An API key that still works after the password has changed. */
export interface LivingKey {
  name: string;
  prefix: string;
  tenantName: string;
}

export interface NoticeRecipient {
  email: string;
  name: string | null;
  emailVerifiedAt: number | null;
  /** Unused recovery codes. */
  codesLeft: number;
  /** Active API keys in all tenants, newest first, at most ten. */
  keys: LivingKey[];
}

/** The user of a notice; null when the account is gone. */
export async function findNoticeRecipient(
  { db }: Deps,
  userId: string,
  nowMs: number,
): Promise<NoticeRecipient | null> {
  const { found, keys } = await atomically(db, {
    found: rows<Omit<NoticeRecipient, "keys">>(sql`SELECT email, name, email_verified_at AS emailVerifiedAt,
        (SELECT count(*) FROM recovery_codes WHERE user_id = ${userId} AND used_at IS NULL) AS codesLeft
      FROM users WHERE id = ${userId}`),
    keys: rows<LivingKey>(sql`SELECT k.name, k.prefix, t.name AS tenantName FROM api_keys k
      JOIN tenants t ON t.id = k.tenant_id
      WHERE k.user_id = ${userId} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${nowMs})
      ORDER BY k.id DESC LIMIT 10`),
  });
  const [user] = found;
  return user ? { ...user, keys } : null;
}

/** Who gets a code. */
export interface CodeRecipient extends Recipient {
  isVerified: 0 | 1;
}

/** Who gets the code for an address; null when nobody has it. */
export async function findCodeRecipientByEmail({ db }: Deps, email: string): Promise<CodeRecipient | null> {
  const { found } = await atomically(db, {
    found: rows<CodeRecipient>(sql`SELECT email, CASE WHEN email_verified_at IS NULL THEN NULL ELSE name END AS name,
        email_verified_at IS NOT NULL AS isVerified
      FROM users WHERE email = ${email}`),
  });
  return found[0] ?? null;
}
