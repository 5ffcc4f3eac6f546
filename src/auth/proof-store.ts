/** What a sign-in has proven, as conditions and writes of the batch that opens the session. */
import { type SQL, sql } from "drizzle-orm";
import { auditIfChanged, type NewAuditEvent } from "../audit/record-store";
import { mailCodeHolds, useMailCode } from "../mail-code/store";
import { type NewSession, passwordHolds, type SessionPreconditions } from "../sessions/store";
import { consumeFactor, type Factor, factorHolds } from "../two-factor/store";

/** What somebody has proven who they are with, before the second factor. */
export type FirstProof =
  /** With the hash that the password was checked against. */
  | { method: "password"; passwordHash: string }
  /** With a code in the mail with this id. */
  | { method: "code"; mailId: string };

/** `factor` is null when the account has no second factor. */
export type SignInProof = FirstProof & { factor: Factor | null };

/** What must hold when the session is written. */
export function conditionsOf(userId: string, proof: SignInProof): Pick<SessionPreconditions, "proof" | "factor"> {
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
  const { factor } = proof;
  const isOpen = sql`EXISTS (SELECT 1 FROM sessions WHERE id = ${id})`;
  return {
    usedCode: proof.method === "code" ? useMailCode(proof.mailId, isOpen) : undefined,
    used: factor ? consumeFactor(userId, factor, nowMs) : undefined,
    recordedUse: factor?.kind === "recovery" ? auditIfChanged({ ...event, action: "auth.recovery_used" }) : undefined,
  };
}

/** The proof as the audit log describes it. */
export const metaOf = ({ method, factor }: SignInProof) => ({ method, factor: factor?.kind ?? null });
