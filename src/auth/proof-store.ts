/** What a sign-in has proven, as conditions and writes of the batch that opens the session. */
import { type SQL, sql } from "drizzle-orm";
import { auditIfChanged, type NewAuditEvent } from "../audit/record-store";
import { mailCodeHolds, useMailCode } from "../mail-code/store";
import { type NewSession, passwordHolds, type SessionPreconditions } from "../sessions/store";
import { consumeFactor, type Factor, factorHolds } from "../two-factor/store";
import { type PasskeyUse, passkeyHolds, usePasskey } from "../webauthn/store";

/** What somebody has proven who they are with, before the second factor. */
export type FirstProof =
  /** With the hash that the password was checked against. */
  | { method: "password"; passwordHash: string }
  /** With a code in the mail with this id. */
  | { method: "code"; mailId: string };

/** How somebody has proven who they are. */
export type SignInProof =
  /** `factor` is null when the account has no second factor. */
  | (FirstProof & { factor: Factor | null })
  /** Counts as two factors: the authenticator, and what it verifies its user by. */
  | { method: "passkey"; use: PasskeyUse };

/** What must hold when the session is written. */
export function conditionsOf(userId: string, proof: SignInProof): Pick<SessionPreconditions, "proof" | "factor"> {
  if (proof.method === "passkey") return { proof: passkeyHolds(userId, proof.use), factor: sql`1` };
  return {
    proof: proof.method === "code" ? mailCodeHolds(proof.mailId) : passwordHolds(proof.passwordHash),
    factor: proof.factor && factorHolds(userId, proof.factor),
  };
}

/** Uses what works once. The statements must come after the session, which asks whether it is unused. */
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
    used: factor ? consumeFactor(userId, factor, nowMs) : undefined,
    recordedUse: factor?.kind === "recovery" ? auditIfChanged({ ...event, action: "auth.recovery_used" }) : undefined,
  };
}

/** The proof as the audit log describes it. */
export const metaOf = (proof: SignInProof) =>
  proof.method === "passkey" ? { method: proof.method } : { method: proof.method, factor: proof.factor?.kind ?? null };
