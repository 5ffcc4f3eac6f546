/** Reads what mails need from D1. A user is looked up across tenants. */
import { sql } from "drizzle-orm";
import { atomically, jsonList, queryFirst, rows } from "../base/db/client";
import type { Deps } from "../base/deps";
import type { ListedCredential } from "../base/mail/job";
import type { Locale } from "../base/schemas/locales";
import type { Recipient } from "../identity/accounts/verification-store";
import { listCredentials } from "../identity/recovery/credentials-store";

export interface NoticeRecipient {
  email: string;
  name: string | null;
  locale: Locale | null;
  emailVerifiedAt: number | null;
  /** Unused recovery codes. */
  codesLeft: number;
  /** The API keys, passkeys and identities that work, newest first. */
  credentials: ListedCredential[];
}

/** The user of a notice; null when the account is gone. */
export async function findNoticeRecipient(
  { db }: Deps,
  userId: string,
  nowMs: number,
): Promise<NoticeRecipient | null> {
  const { found, credentials } = await atomically(db, {
    found: rows<
      Omit<NoticeRecipient, "credentials">
    >(sql`SELECT email, name, locale, email_verified_at AS emailVerifiedAt,
        (SELECT count(*) FROM recovery_codes WHERE user_id = ${userId} AND used_at IS NULL) AS codesLeft
      FROM users WHERE id = ${userId}`),
    credentials: listCredentials(userId, () => sql`1`, nowMs),
  });
  const [user] = found;
  return user ? { ...user, credentials } : null;
}

/** Who gets a code. */
export interface CodeRecipient extends Recipient {
  isVerified: 0 | 1;
}

/** Who gets the code for an address; null when nobody has it. */
export async function findCodeRecipientByEmail({ db }: Deps, email: string): Promise<CodeRecipient | null> {
  const found = await queryFirst<CodeRecipient>(db)`SELECT email, locale,
      CASE WHEN email_verified_at IS NULL THEN NULL ELSE name END AS name, email_verified_at IS NOT NULL AS isVerified
    FROM users WHERE email = ${email}`;
  return found ?? null;
}

/** Which of these hashes of one mail's token is stored; null when none is. */
export async function findStoredHash({ db }: Deps, hashes: readonly string[]): Promise<string | null> {
  const found = await queryFirst<{ hash: string }>(db)`SELECT hash FROM email_tokens
    WHERE hash IN (SELECT value FROM json_each(${jsonList(hashes)}))`;
  return found?.hash ?? null;
}
