/** What a sign-in has proven, as conditions and writes of the batch that opens the session. */
import type { SQL } from "drizzle-orm";
import { auditIfChanged, type NewAuditEvent } from "../audit/record-store";
import { passwordHolds, type SessionPreconditions } from "../sessions/store";
import { consumeFactor, type Factor, factorHolds } from "../two-factor/store";

/** How somebody has proven who they are. */
export interface SignInProof {
  method: "password";
  /** The hash that the password was checked against. */
  passwordHash: string;
  /** Null when the account has no second factor. */
  factor: Factor | null;
}

/** What must hold when the session is written. */
export function conditionsOf(
  userId: string,
  { passwordHash, factor }: SignInProof,
): Pick<SessionPreconditions, "proof" | "factor"> {
  return { proof: passwordHolds(passwordHash), factor: factor && factorHolds(userId, factor) };
}

/** Uses what works once. The statements must come after the session, which asks whether it is unused. */
export function usesOf(
  userId: string,
  { factor }: SignInProof,
  event: Omit<NewAuditEvent, "action">,
  nowMs: number,
): Record<string, SQL | undefined> {
  return {
    used: factor ? consumeFactor(userId, factor, nowMs) : undefined,
    recordedUse: factor?.kind === "recovery" ? auditIfChanged({ ...event, action: "auth.recovery_used" }) : undefined,
  };
}

/** The proof as the audit log describes it. */
export const metaOf = ({ method, factor }: SignInProof) => ({ method, factor: factor?.kind ?? null });
