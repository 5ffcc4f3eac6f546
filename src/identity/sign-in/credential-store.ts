/** What a sign-in has proven, as conditions and writes of the batch that opens the session. */
import { type SQL, sql } from "drizzle-orm";
import { newId } from "../../base/db/ids";
import { isUnused } from "../../base/db/used-states-store";
import { insertRevert, type NewRevert } from "../../base/mail/revert-store";
import type { ProviderName } from "../../base/schemas/schemas";
import { auditIfChanged, type NewAuditEvent, tenantOfAccount } from "../../tenancy/audit/record-store";
import { mailCodeStillValid, useMailCode } from "../email-codes/store";
import { methodsOfPasskey, type PasskeyUse, passkeyStillValid, usePasskey } from "../passkeys/store";
import type { ProviderIdentity } from "../providers/identity";
import { type IdentityUse, identityStillValid, insertIdentity, isAdded, useIdentity } from "../providers/store";
import { type NewSession, passwordStillValid, type SessionPreconditions } from "../sessions/store";
import { endSessionsAndApps } from "../tokens/revocations-store";
import { consumeFactor, type Factor, factorStillValid } from "../two-factor/store";

/** The first credential of who somebody is, before the second factor. */
export type FirstCredential =
  /** `passwordHash` is the hash that the password was checked against. */
  | { method: "password"; passwordHash: string }
  /** A code from the mail with this id. */
  | { method: "code"; mailId: string }
  /**
   * An identity at a provider. `link` adds it to the user with this sign-in; null if the user already has it. `mailId`
   * is the mail whose code has proven the address; null where none was needed.
   */
  | {
      method: "provider";
      provider: ProviderName;
      use: IdentityUse;
      link: { identity: ProviderIdentity; revert: NewRevert } | null;
      mailId: string | null;
    };

/** How somebody has proven who they are. */
export type SignInCredential =
  /** `factor` is null when the account has no second factor. */
  | (FirstCredential & { factor: Factor | null })
  /** Counts as two factors: the authenticator, and the PIN or biometric check of its user. */
  | { method: "passkey"; use: PasskeyUse };

/** What a sign-in changes before its session is written. */
export function preparationsOf(
  userId: string,
  credential: SignInCredential,
  event: Omit<NewAuditEvent, "action" | "tenantId">,
  nowMs: number,
): Record<string, SQL | SQL[]> {
  if (credential.method !== "provider" || !credential.link) return {};
  const { identity, revert } = credential.link;
  const id = newId();
  const added = isAdded(id, identity);
  // Both sides must have proven the address: somebody else may have registered it here, or entered it there.
  const mayLink = sql`u.id = ${userId} AND u.email = ${identity.email} AND u.email_verified_at IS NOT NULL
    AND ${isUnused(credential.use.stateId)} AND ${codeStillValid(credential.mailId)}
    AND (u.totp_enabled_at IS NULL OR ${credential.factor ? factorStillValid(userId, credential.factor) : sql`0`})`;
  return {
    linked: insertIdentity(id, identity, mayLink, nowMs),
    recordedLink: auditIfChanged({
      ...event,
      tenantId: tenantOfAccount(userId),
      action: "auth.identity_linked",
      target: { kind: "identity", id },
      meta: { provider: identity.provider },
    }),
    // Somebody else may have signed in before, so all former sessions end.
    formerSessions: endSessionsAndApps(sql`user_id = ${userId} AND ${added}`, "all", nowMs),
    linkRevert: insertRevert(revert, userId, "identity", { state: sql`, 'identity', ${id}`, condition: added }),
  };
}

const codeStillValid = (mailId: string | null): SQL => (mailId === null ? sql`1` : mailCodeStillValid(mailId));

/** What must hold when the session is written, and how it is opened. */
export function conditionsOf(userId: string, credential: SignInCredential): Omit<SessionPreconditions, "tenantId"> {
  if (credential.method === "passkey") {
    const { use } = credential;
    return { credential: passkeyStillValid(userId, use), factor: sql`1`, methods: methodsOfPasskey(use) };
  }
  const { method, factor } = credential;
  return {
    credential: firstCredentialStillValid(userId, credential),
    factor: factor && factorStillValid(userId, factor),
    methods: factor ? [method, factor.kind] : [method],
  };
}

function firstCredentialStillValid(userId: string, credential: FirstCredential): SQL {
  if (credential.method === "provider") {
    return sql`(${identityStillValid(userId, credential.use)} AND ${codeStillValid(credential.mailId)})`;
  }
  return credential.method === "code"
    ? mailCodeStillValid(credential.mailId)
    : passwordStillValid(credential.passwordHash);
}

/**
 * Uses up what works only once. The statements must come after the one that writes the session, which requires that it
 * is unused.
 */
export function usesOf(
  { id, userId }: Pick<NewSession, "id" | "userId">,
  credential: SignInCredential,
  event: Omit<NewAuditEvent, "action">,
  nowMs: number,
): Record<string, SQL | undefined> {
  if (credential.method === "passkey") return usePasskey(userId, credential.use, nowMs);
  const { factor } = credential;
  const isOpen = sql`EXISTS (SELECT 1 FROM sessions WHERE id = ${id})`;
  return {
    ...useMailedCode(userId, credential, isOpen),
    ...(credential.method === "provider" ? useIdentity(userId, credential.use, nowMs) : {}),
    used: factor ? consumeFactor(userId, factor, nowMs) : undefined,
    recordedUse: factor?.kind === "recovery" ? auditIfChanged({ ...event, action: "auth.recovery_used" }) : undefined,
  };
}

/** Uses the code that was mailed to the address, which proves the address whoever vouched for it before. */
function useMailedCode(userId: string, credential: FirstCredential, isOpen: SQL): Record<string, SQL | undefined> {
  if (credential.method === "password" || credential.mailId === null) return {};
  return {
    proven: sql`UPDATE users SET email_verified_by = NULL WHERE id = ${userId} AND email_verified_by IS NOT NULL
      AND ${isOpen}`,
    usedCode: useMailCode(credential.mailId, isOpen),
  };
}

/** The credential as the audit log describes it. */
export function metaOf(credential: SignInCredential): Record<string, string | null> {
  if (credential.method === "passkey") return { method: credential.method };
  const { method, factor } = credential;
  return {
    method,
    ...(credential.method === "provider" ? { provider: credential.provider } : {}),
    factor: factor?.kind ?? null,
  };
}

/** What "this was not me" takes away besides the password, as arguments of SQL's `json_object`. */
export function revertStateOf(credential: SignInCredential): SQL {
  if (credential.method === "passkey") return sql`, 'passkey', ${credential.use.passkeyId}`;
  if (credential.method !== "provider") return sql``;
  const { issuer, sub } = credential.use;
  return sql`, 'identity', (SELECT id FROM identities WHERE issuer = ${issuer} AND sub = ${sub})`;
}
