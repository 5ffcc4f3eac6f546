/** A new user, and the credential with which they register as statements of the batch that writes them. */
import { type SQL, sql } from "drizzle-orm";
import type { Locale } from "../../base/schemas/locales";
import { type FirstPasskey, insertFirstPasskey, methodsOfPasskey } from "../passkeys/store";
import { passwordStillValid, type SessionPreconditions } from "../sessions/store";

export interface NewUser {
  userId: string;
  email: string;
  name: string | null;
  /** Empty for a user without a password. */
  passwordHash: string;
  /** For a user who registers with a passkey. */
  passkey?: FirstPasskey;
  /** The kind of device that registers, with its location: "Firefox on Linux, Lisbon, PT". */
  createdFrom: string;
  locale: Locale | null;
}

interface FirstCredential {
  /** What is written besides the user, and after them. */
  stored: Record<string, SQL>;
  /** What the first session asks. */
  preconditions: Omit<SessionPreconditions, "tenantId">;
  /** What the audit log says about it; nothing for a password. */
  meta: { meta?: Record<string, string> };
}

/** What is stored of the password or passkey of a new user, and what must hold when it is. */
export function firstCredentialOf({ passwordHash, passkey }: NewUser): FirstCredential {
  if (!passkey) {
    return {
      stored: {},
      preconditions: { credential: passwordStillValid(passwordHash), factor: null, methods: ["password"] },
      meta: {},
    };
  }
  const { row } = passkey;
  return {
    stored: insertFirstPasskey(passkey),
    preconditions: {
      credential: sql`EXISTS (SELECT 1 FROM passkeys WHERE id = ${row.id} AND user_id = u.id)`,
      factor: null,
      methods: methodsOfPasskey(row),
    },
    meta: { meta: { method: "passkey" } },
  };
}
