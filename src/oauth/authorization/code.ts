/** Authorization codes. A code is encrypted, so that nothing is stored before it is used. */
import { base64url } from "jose";
import { randomBytes, sha256Hex, utf8 } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { AuthorizationRequest } from "./request";
import { seal, unseal } from "./sealed";

const LIFETIME_MS = 60_000;
/** How long a used code is remembered: a while beyond its end, so that one that leaked late is recognised. */
const REMEMBERED_MS = 10 * LIFETIME_MS;
export const MAX_CODE_CHARACTERS = 5120;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export interface Code {
  /** Begins with the time until which its use is remembered. */
  id: string;
  clientId: string;
  /** SHA-256 of the redirect URL. */
  redirect: string;
  /** See `granted-scopes.ts`. */
  scopes: readonly string[];
  /** The identifiers of the APIs at which it gives scopes, by their ids; missing without. */
  audiences?: Readonly<Record<string, string>>;
  nonce: string | null;
  /** How the person should have signed in, as the app says it; missing: in any way. */
  acr?: string;
  challenge: string | null;
  /** The thumbprint of the key that must be shown with it (RFC 9449 section 10); missing: none. */
  jkt?: string;
  sessionId: string;
  tenantId: string;
  /** The offline grant that it gives; missing without one. */
  offlineGrantId?: string;
  issuedAt: number;
  /** Until when it is readable; until `validUntil` it works. */
  expiresAt: number;
  validUntil: number;
}

export async function makeCode(
  deps: Deps,
  { clientId, redirectUri, device, scopes, resources, nonce, acr, challenge, jkt }: AuthorizationRequest,
  { sessionId, tenantId }: { sessionId: string; tenantId: string },
): Promise<string> {
  const issuedAt = deps.now();
  const expiresAt = issuedAt + REMEMBERED_MS;
  const code: Code = {
    id: `${expiresAt}.${base64url.encode(randomBytes(16))}`,
    clientId,
    redirect: await sha256Hex(redirectUri),
    scopes,
    ...(resources.length === 0
      ? {}
      : { audiences: Object.fromEntries(resources.map(({ id, identifier }) => [id, identifier])) }),
    nonce,
    ...(acr === null ? {} : { acr }),
    challenge,
    ...(jkt === null ? {} : { jkt }),
    sessionId,
    tenantId,
    ...(scopes.includes("offline_access") ? { offlineGrantId: newId() } : {}),
    issuedAt,
    expiresAt,
    // A device asks for it now and then, until its own request ends.
    validUntil: device ? device.expiresAt : issuedAt + LIFETIME_MS,
  };
  return seal(deps, "code", code);
}

/** Null for anything but a code of ours. One that is over its time is still read, so that its reuse is seen. */
export const readCode = async (deps: Deps, text: string): Promise<Code | null> =>
  text.length > MAX_CODE_CHARACTERS ? null : unseal<Code>(deps, "code", text);

/** Whether what is shown with a code is what it was made for (RFC 7636 section 4.6, RFC 9700 section 2.1.1). */
export async function isShownRightly(
  code: Code,
  { redirectUri, verifier }: { redirectUri: string | null; verifier: string | null },
): Promise<boolean> {
  if (redirectUri === null ? code.challenge === null : (await sha256Hex(redirectUri)) !== code.redirect) return false;
  // A verifier without a challenge: somebody has taken the challenge out of the request.
  if (code.challenge === null || verifier === null) return code.challenge === null && verifier === null;
  if (!VERIFIER.test(verifier)) return false;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(verifier)));
  return base64url.encode(digest) === code.challenge;
}
