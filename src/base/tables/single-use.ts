/**
 * What works once: mailed tokens and codes, recovery codes, and the states that clients keep. In the control plane.
 * Times are Unix milliseconds.
 */
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Mailed tokens, stored as SHA-256. A token is derived from the id of its mail, so that a repeated mail carries the
 * same one.
 */
export const emailTokens = sqliteTable(
  "email_tokens",
  {
    hash: text().primaryKey(),
    purpose: text({ enum: ["verify", "reset", "invite", "undo", "remove-factor", "change-email"] }).notNull(),
    /** User id, or invitation id for "invite". */
    subjectId: text("subject_id").notNull(),
    /**
     * JSON, for "undo": what the link reverts, and the state to restore, see mail/revert-store.ts; for "remove-factor":
     * which enrolment.
     */
    action: text(),
    /** For "change-email": the new address. For "undo" of such a change: the former one, which is kept free for it. */
    email: text(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    usedAt: integer("used_at"),
  },
  (t) => [
    index("email_tokens_by_subject").on(t.subjectId, t.purpose),
    index("email_tokens_by_expiry").on(t.expiresAt),
    // Partial, so it has no entries for the other tokens.
    index("email_tokens_by_email").on(t.email).where(sql`email IS NOT NULL`),
  ],
);

/** Mailed codes that somebody has tried. The migration creates it WITHOUT ROWID. */
export const mailCodes = sqliteTable("mail_codes", {
  /** The id of the mail, which contains the time at which the code was requested. */
  id: text().primaryKey(),
  /** Wrong guesses; also 5 once the code was used. */
  tries: integer().notNull(),
});

/** The hashes of the codes that replace a lost authenticator app. */
export const recoveryCodes = sqliteTable(
  "recovery_codes",
  { userId: text("user_id").notNull(), codeHash: text("code_hash").notNull(), usedAt: integer("used_at") },
  (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
);

/**
 * Used states, until they expire: what a client keeps encrypted, such as a challenge, works once. An id begins with the
 * time of the expiry. The migration creates it WITHOUT ROWID.
 */
export const usedStates = sqliteTable("used_states", { id: text().primaryKey() });
