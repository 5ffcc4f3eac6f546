/** Confirming in D1 that a session is still used by its user. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import { isUnused, useState } from "../../base/db/used-states-store";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { mailCodeStillValid, useMailCode } from "../email-codes/store";
import { methodsOfPasskey, type PasskeyUse, passkeyStillValid, usePasskey } from "../passkeys/store";
import { IS_OPEN } from "../policy/open-connection-store";
import { withMethods } from "../sessions/store";
import { hasBrokenGlass, THIS_SESSION, withBrokenGlass } from "../tokens/sign-on-due-store";
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
  /** What the tenant's own provider has said; null when it was not asked. */
  signOn: SignOnProof | null;
  /** Whether the tenant has refused the session, because it requires its own sign-on. */
  wasRefused: boolean;
  /** Unix ms: now, unless what was given may not renew the confirmation. */
  confirmedAt: number;
}

/**
 * A session that was confirmed, and whether an owner gets in with it without the provider of a tenant that requires it.
 */
interface ConfirmedSession {
  tenantId: string;
  breaksGlass: 0 | 1;
}

/** Who has shown themselves again at the provider of a connection, for one use. */
export interface SignOnProof {
  connectionId: string;
  generation: number;
  version: number;
  subject: string;
  stateId: string;
}

/** Holds while the proof is unused, and is of the session's own connection and of its user there. */
const signOnStillValid = ({ connectionId, generation, version, subject, stateId }: SignOnProof): SQL =>
  sql`(sessions.connection_id = ${connectionId} AND ${isUnused(stateId)}
    AND EXISTS (SELECT 1 FROM connections c CROSS JOIN connection_identities i WHERE c.id = ${connectionId}
      AND c.tenant_id = sessions.tenant_id AND ${IS_OPEN} AND c.version = ${version}
      AND i.connection_id = c.id AND i.generation = ${generation} AND i.subject = ${subject}
      AND i.user_id = sessions.user_id AND i.removed_at IS NULL))`;

/**
 * Records that the user has confirmed the session, and uses the codes and the passkey. Returns null when one of them
 * was used before or the password has changed.
 */
export async function confirmSession(
  { db, config }: Deps,
  confirmation: Confirmation,
  nowMs: number,
): Promise<ConfirmedSession | null> {
  const { caller, passwordHash, factor, mailId, passkey, signOn, wasRefused, confirmedAt } = confirmation;
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
  const opened = { tenantId, userId, methods: sql`(SELECT amr FROM sessions WHERE id = ${sessionId})` };
  // One that was let in before has broken no glass now.
  const meta = wasRefused ? { meta: withBrokenGlass(config, opened, {}, nowMs) } : {};
  const breaksGlass = wasRefused ? hasBrokenGlass(config, THIS_SESSION, nowMs) : sql`0`;
  const { confirmed } = await atomically(db, {
    confirmed:
      rows<ConfirmedSession>(sql`UPDATE sessions SET confirmed_at = ${confirmedAt}, amr = ${withMethods(methods)}
      WHERE id = ${sessionId} AND user_id = ${userId}
      AND ${passwordHash === null ? sql`true` : isPassword} AND ${factor ? factorStillValid(userId, factor) : sql`true`}
      AND ${mailId === null ? sql`true` : mailCodeStillValid(mailId)}
        AND ${passkey ? passkeyStillValid(userId, passkey) : sql`true`}
        AND ${signOn ? signOnStillValid(signOn) : sql`true`}
      RETURNING tenant_id AS tenantId, ${breaksGlass} AS breaksGlass`),
    recorded: auditIfChanged({ ...event, action: "auth.step_up", ...meta }),
    // After the update of the session, which asks whether the codes and the passkey are unused.
    usedCode: mailId === null ? undefined : useMailCode(mailId, isConfirmed),
    used: factor ? consumeFactor(userId, factor, nowMs) : undefined,
    recordedUse: factor?.kind === "recovery" ? auditIfChanged({ ...event, action: "auth.recovery_used" }) : undefined,
    ...(passkey ? usePasskey(userId, passkey, nowMs) : {}),
    usedSignOn: signOn ? useState(signOn.stateId) : undefined,
  });
  return confirmed[0] ?? null;
}
