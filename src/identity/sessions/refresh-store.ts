/** Refresh tokens in D1: a session's next generation, and its end. A token names its session, so no tenant is given. */
import { sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { anonymous, type RequestOrigin } from "../../base/schemas/actor";
import type { Device } from "../../base/schemas/device";
import { auditEach, holderOfToken } from "../../tenancy/audit/record-store";
import { endSessions } from "../tokens/revocations-store";
import { isSessionRefused, THIS_SESSION } from "../tokens/sign-on-due-store";
import { TOKEN_SUBJECT, type TokenSubject } from "./token-subject-store";

/** Later than any session ends. */
const ENDLESS = Number.MAX_SAFE_INTEGER;

/** A refresh that is about to be written. */
export interface Refresh {
  sessionId: string;
  /** The generation of the token that was presented. */
  generation: number;
  tokenHash: string;
  nextTokenHash: string;
  keyHash: string | null;
  /** The device that presented the token; the session is listed with it from now on. */
  device: Device;
  idleMs: number;
  maxMs: number;
}

export interface RefreshedSession extends TokenSubject {
  userId: string;
  generation: number;
  refreshTokenHash: string;
  rotatedAt: number;
  rotationKeyHash: string | null;
  expiresAt: number;
  ipAddress: string | null;
  deviceName: string | null;
  /** Whether the tenant refuses it, because it requires its own sign-on. */
  isRefused: 0 | 1;
}

/**
 * Moves the session to the next generation if the token is the current one, and the tenant lets it in. Returns the
 * session as it is afterwards.
 */
export async function refreshByToken(
  { db, config }: Deps,
  next: Refresh,
  nowMs: number,
): Promise<{ refreshed: boolean; session: RefreshedSession | undefined }> {
  const { sessionId, generation, tokenHash, device } = next;
  const isRefused = isSessionRefused(config, THIS_SESSION, nowMs);
  const { updated, stored } = await atomically(db, {
    updated: sql`UPDATE sessions SET generation = generation + 1, refresh_token_hash = ${next.nextTokenHash},
        rotated_at = ${nowMs}, rotation_key_hash = ${next.keyHash}, last_activity_at = ${nowMs},
        expires_at = min(${nowMs + next.idleMs}, created_at + ${next.maxMs}, coalesce(ends_at, ${ENDLESS})),
        device_name = ${device.deviceName},
        browser = ${device.browser}, operating_system = ${device.operatingSystem}, platform = ${device.platform},
        ip_address = ${device.ipAddress}, location = ${device.location}
      WHERE id = ${sessionId} AND generation = ${generation} AND refresh_token_hash = ${tokenHash}
        AND expires_at > ${nowMs} AND NOT ${isRefused}
      RETURNING id`,
    // After the update: it returns the expiry and the generation that the update has set.
    stored: rows<RefreshedSession>(sql`SELECT user_id AS userId, ${TOKEN_SUBJECT}, generation,
        refresh_token_hash AS refreshTokenHash,
        rotated_at AS rotatedAt, rotation_key_hash AS rotationKeyHash, expires_at AS expiresAt, ip_address AS ipAddress,
        device_name AS deviceName, ${isRefused} AS isRefused
      FROM sessions WHERE id = ${sessionId}`),
  });
  return { refreshed: updated.length === 1, session: stored[0] };
}

/**
 * Deletes the session of a refresh token. A reuse is recorded without a user, who may be someone else. Returns false if
 * it was deleted before.
 */
export async function deleteSessionByToken(
  { db }: Deps,
  sessionId: string,
  action: "auth.logout" | "auth.refresh_reused",
  origin: RequestOrigin,
  nowMs: number,
): Promise<boolean> {
  const actor =
    action === "auth.logout"
      ? { ...holderOfToken(sql`s.user_id`, origin), sessionId }
      : { ...anonymous(origin), sessionId };
  const target = { kind: "user", id: sql`s.user_id` } as const;
  const { deleted } = await atomically(db, {
    // First, because it reads the session.
    recorded: auditEach(
      { tenantId: sql`s.tenant_id`, action, actor, target },
      sql`sessions s WHERE s.id = ${sessionId}`,
      nowMs,
    ),
    deleted: endSessions(sql`id = ${sessionId}`, nowMs),
  });
  return deleted.length === 1;
}
