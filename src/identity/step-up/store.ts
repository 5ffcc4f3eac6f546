/** Confirming in D1 that a session is still used by its user. */
import { sql } from "drizzle-orm";
import { atomically } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { mailCodeStillValid, useMailCode } from "../email-codes/store";
import { methodsOfPasskey, type PasskeyUse, passkeyStillValid, usePasskey } from "../passkeys/store";
import { withMethods } from "../sessions/store";
import { consumeFactor, type Factor, factorStillValid } from "../two-factor/store";

/** The confirmation of a session, by the password with this hash, by codes or by a passkey. */
export interface Confirmation {
  caller: SessionPrincipal;
  /** The hash that the password was checked against; null when none was given. */
  passwordHash: string | null;
  factor: Factor | null;
  /** The id of the mail whose code was right; null when no code was given. */
  mailId: string | null;
  passkey: PasskeyUse | null;
  /** Unix ms: now, unless what was given may not renew the confirmation. */
  confirmedAt: number;
}

/**
 * Records that the user has confirmed the session, and uses the codes and the passkey. Returns false when one of them
 * was used before or the password has changed.
 */
export async function confirmSession({ db }: Deps, confirmation: Confirmation, nowMs: number): Promise<boolean> {
  const { caller, passwordHash, factor, mailId, passkey, confirmedAt } = confirmation;
  const { tenantId, userId, sessionId, actor } = caller;
  const event = { tenantId, actor, target: { kind: "user", id: userId } } as const;
  const isPassword = sql`(SELECT password_hash FROM users WHERE id = ${userId}) = ${passwordHash}`;
  const isConfirmed = sql`EXISTS (SELECT 1 FROM sessions WHERE id = ${sessionId} AND confirmed_at = ${confirmedAt})`;
  const methods = [
    ...(passwordHash === null ? [] : ["password" as const]),
    ...(mailId === null ? [] : ["code" as const]),
    ...(factor ? [factor.kind] : []),
    ...(passkey ? methodsOfPasskey(passkey) : []),
  ];
  const { confirmed } = await atomically(db, {
    confirmed: sql`UPDATE sessions SET confirmed_at = ${confirmedAt}, amr = ${withMethods(methods)}
      WHERE id = ${sessionId} AND user_id = ${userId}
      AND ${passwordHash === null ? sql`true` : isPassword} AND ${factor ? factorStillValid(userId, factor) : sql`true`}
      AND ${mailId === null ? sql`true` : mailCodeStillValid(mailId)}
        AND ${passkey ? passkeyStillValid(userId, passkey) : sql`true`} RETURNING id`,
    recorded: auditIfChanged({ ...event, action: "auth.step_up" }),
    // After the update of the session, which asks whether the codes and the passkey are unused.
    usedCode: mailId === null ? undefined : useMailCode(mailId, isConfirmed),
    used: factor ? consumeFactor(userId, factor, nowMs) : undefined,
    recordedUse: factor?.kind === "recovery" ? auditIfChanged({ ...event, action: "auth.recovery_used" }) : undefined,
    ...(passkey ? usePasskey(userId, passkey, nowMs) : {}),
  });
  return confirmed.length === 1;
}
