/** What works once at a sign-in: codes, and states that a client keeps. In the control plane. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Mailed codes that somebody has tried. The migration creates it WITHOUT ROWID. */
export const mailCodes = sqliteTable("mail_codes", {
  /** The id of the mail, which contains the time at which the code was requested. */
  id: text().primaryKey(),
  /** Wrong guesses; also 5 once the code was used. */
  tries: integer().notNull(),
});

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
