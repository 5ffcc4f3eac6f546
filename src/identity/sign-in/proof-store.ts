/** What a sign-in has proven, as conditions and writes of the batch that opens the session. */
import { type SQL, sql } from "drizzle-orm";
import { newId } from "../../platform/db/ids";
import { isUnused } from "../../platform/db/used-states-store";
import { insertUndo, type NewUndo } from "../../platform/mail/undo-store";
import type { ProviderName } from "../../platform/schemas/schemas";
import { auditIfChanged, type NewAuditEvent, tenantOfAccount } from "../../tenancy/audit/record-store";
import { mailCodeHolds, useMailCode } from "../email-codes/store";
import { type PasskeyUse, passkeyHolds, usePasskey } from "../passkeys/webauthn/store";
import type { ProviderIdentity } from "../providers/identity";
import { type IdentityUse, identityHolds, insertIdentity, isAdded, useIdentity } from "../providers/store";
import { type NewSession, passwordHolds, type SessionPreconditions } from "../sessions/store";
import { consumeFactor, type Factor, factorHolds } from "../two-factor/store";

/** The first proof of who somebody is, before the second factor. */
export type FirstProof =
  /** `passwordHash` is the hash that the password was checked against. */
  | { method: "password"; passwordHash: string }
  /** A code from the mail with this id. */
  | { method: "code"; mailId: string }
  /** An identity at a provider. `link` adds it to the user with this sign-in; null if the user already has it. */
  | {
      method: "provider";
      provider: ProviderName;
      use: IdentityUse;
      link: { identity: ProviderIdentity; undo: NewUndo } | null;
    };

/** How somebody has proven who they are. */
export type SignInProof =
  /** `factor` is null when the account has no second factor. */
  | (FirstProof & { factor: Factor | null })
  /** Counts as two factors: the authenticator, and the PIN or biometric check of its user. */
  | { method: "passkey"; use: PasskeyUse };

/** What a sign-in changes before its session is written. */
export function preparationsOf(
  userId: string,
  proof: SignInProof,
  event: Omit<NewAuditEvent, "action" | "tenantId">,
  nowMs: number,
): Record<string, SQL> {
  if (proof.method !== "provider" || !proof.link) return {};
  const { identity, undo } = proof.link;
  const id = newId();
  const added = isAdded(id, identity);
  // Both sides must have proven the address: somebody else may have registered it here, or entered it there.
  const mayLink = sql`u.id = ${userId} AND u.email = ${identity.email} AND u.email_verified_at IS NOT NULL
    AND ${isUnused(proof.use.stateId)} AND (u.totp_enabled_at IS NULL
      OR ${proof.factor ? factorHolds(userId, proof.factor) : sql`0`})`;
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
    formerSessions: sql`DELETE FROM sessions WHERE user_id = ${userId} AND ${added}`,
    linkUndo: insertUndo(undo, userId, "identity", { state: sql`, 'identity', ${id}`, condition: added }),
  };
}

/** What must hold when the session is written. */
export function conditionsOf(userId: string, proof: SignInProof): Pick<SessionPreconditions, "proof" | "factor"> {
  if (proof.method === "passkey") return { proof: passkeyHolds(userId, proof.use), factor: sql`1` };
  return {
    proof: firstHolds(userId, proof),
    factor: proof.factor && factorHolds(userId, proof.factor),
  };
}

function firstHolds(userId: string, proof: FirstProof): SQL {
  if (proof.method === "provider") return identityHolds(userId, proof.use);
  return proof.method === "code" ? mailCodeHolds(proof.mailId) : passwordHolds(proof.passwordHash);
}

/**
 * Uses up what works only once. The statements must come after the one that writes the session, which requires that it
 * is unused.
 */
export function usesOf(
  { id, userId }: Pick<NewSession, "id" | "userId">,
  proof: SignInProof,
  event: Omit<NewAuditEvent, "action">,
  nowMs: number,
): Record<string, SQL | undefined> {
  if (proof.method === "passkey") return usePasskey(userId, proof.use, nowMs);
  const { factor } = proof;
  const isOpen = sql`EXISTS (SELECT 1 FROM sessions WHERE id = ${id})`;
  return {
    usedCode: proof.method === "code" ? useMailCode(proof.mailId, isOpen) : undefined,
    ...(proof.method === "provider" ? useIdentity(userId, proof.use, nowMs) : {}),
    used: factor ? consumeFactor(userId, factor, nowMs) : undefined,
    recordedUse: factor?.kind === "recovery" ? auditIfChanged({ ...event, action: "auth.recovery_used" }) : undefined,
  };
}

/** The proof as the audit log describes it. */
export function metaOf(proof: SignInProof): Record<string, string | null> {
  if (proof.method === "passkey") return { method: proof.method };
  const { method, factor } = proof;
  return { method, ...(proof.method === "provider" ? { provider: proof.provider } : {}), factor: factor?.kind ?? null };
}

/** What "this was not me" takes away besides the password, as arguments of SQL's `json_object`. */
export function undoStateOf(proof: SignInProof): SQL {
  if (proof.method === "passkey") return sql`, 'passkey', ${proof.use.passkeyId}`;
  if (proof.method !== "provider") return sql``;
  const { issuer, sub } = proof.use;
  return sql`, 'identity', (SELECT id FROM identities WHERE issuer = ${issuer} AND sub = ${sub})`;
}
