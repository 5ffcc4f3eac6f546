/** The token pair of a session. */
import { sha256Hex } from "../../base/crypto/encoding";
import { makeRefreshToken } from "../../base/crypto/refresh-token";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { Device } from "../../base/schemas/device";
import type { AuthMethod } from "../../base/schemas/principal";
import { knownRole } from "../../base/schemas/roles";
import { type AccessClaims, signAccessToken } from "../../base/signers/jwt";
import { DAY_MS } from "../../base/time";
import { claimedMetadata } from "../../tenancy/directory/metadata";
import { deviceKeys } from "./known-devices";
import { methodReferences } from "./method-references";
import type { TokenPair } from "./schemas";
import type { NewSession } from "./store";
import type { TokenSubject } from "./token-subject-store";

/** Each refresh restarts this period, up to `SESSION_MAX_MS` after login. */
export const SESSION_IDLE_MS = 30 * DAY_MS;
export const SESSION_MAX_MS = 90 * DAY_MS;

/** A session that has been written, and its tokens. */
export interface OpenedSession {
  session: AccessClaims & { expiresAt: number };
  tokens: TokenPair;
}

/** A session that is about to be written, and its first refresh token. */
export interface SessionDraft {
  row: NewSession;
  refreshToken: string;
}

/** Makes the row of a new session and its first refresh token; the caller writes the row. */
export async function draftSession(deps: Deps, userId: string, device: Device): Promise<SessionDraft> {
  // Before the first session is written: sessions without a signer mean that a former version has signed.
  await deps.signers.current();
  const id = newId();
  const refreshToken = await makeRefreshToken(deps.keys, { sessionId: id, generation: 1 });
  const refreshTokenHash = await sha256Hex(refreshToken);
  const expiresAt = deps.now() + SESSION_IDLE_MS;
  const row = { ...device, id, userId, refreshTokenHash, expiresAt };
  return { row: { ...row, deviceKeys: await deviceKeys(deps.keys, userId, device) }, refreshToken };
}

/** Returns the session of a draft that has been written, with its token pair. */
export async function openedSession(deps: Deps, draft: SessionDraft, written: TokenSubject): Promise<OpenedSession> {
  const { row, refreshToken } = draft;
  const claims = { userId: row.userId, tenantId: written.tenantId, sessionId: row.id };
  const tokens = { accessToken: await makeAccessToken(deps, { ...written, ...claims }), refreshToken };
  return { session: { ...claims, expiresAt: row.expiresAt }, tokens };
}

/** A signed access token for a session, as it was when the request began: before its role was read. */
export function makeAccessToken(
  deps: Deps,
  { member, user, tenant, amr, ...subject }: AccessClaims & TokenSubject,
): Promise<string> {
  const methods = amr === null ? [] : (JSON.parse(amr) as AuthMethod[]);
  const [role, ofMember] = pairOf(member);
  const [externalId, ofUser] = pairOf(user);
  const [tenantExternalId, ofTenant] = pairOf(tenant);
  const claims = {
    ...subject,
    role: role === null ? "" : knownRole(role),
    externalId,
    tenantExternalId,
    metadata: claimedMetadata(deps.config.tokenMetadata, { user: ofUser, tenant: ofTenant, member: ofMember }),
    methods: methodReferences(methods),
  };
  return signAccessToken(deps, claims, deps.startedAt);
}

const pairOf = (stored: string | null): [string | null, string | null] =>
  stored === null ? [null, null] : (JSON.parse(stored) as [string | null, string | null]);
