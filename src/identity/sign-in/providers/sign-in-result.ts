/**
 * The result of a sign-in at a provider. The browser keeps it, encrypted, and the client's page gets a code. Neither is
 * worth anything without the other, so a code that leaks from a URL opens nothing.
 */
import { base64url } from "jose";
import { randomBytes, sha256Hex } from "../../../base/crypto/encoding";
import type { Deps } from "../../../base/deps";
import { MINUTE_MS } from "../../../base/time";
import type { ProviderIdentity } from "../../providers/identity";
import { seal, unseal } from "../../providers/sealed";

const CODE_BYTES = 32;
const CODE_LIFETIME_MS = MINUTE_MS;
/** The time for typing a second factor, once the code has been presented in time. */
const FACTOR_LIFETIME_MS = 5 * MINUTE_MS;

export interface SignInResult {
  identity: ProviderIdentity;
  /** See `FlowPurpose`. */
  invitationHash: string | null;
  codeHash: string;
  /** The id under which the use of the code is stored. */
  stateId: string;
  createdAt: number;
  expiresAt: number;
}

/** A result for the browser to keep. */
export interface SealedResult {
  sealed: string;
  /** Unix ms. */
  expiresAt: number;
}

export async function newSignInResult(
  deps: Deps,
  identity: ProviderIdentity,
  invitationHash: string | null,
): Promise<SealedResult & { code: string }> {
  const code = base64url.encode(randomBytes(CODE_BYTES));
  const createdAt = deps.now();
  const stateId = `${createdAt + FACTOR_LIFETIME_MS}:${base64url.encode(randomBytes(CODE_BYTES))}`;
  const expiresAt = createdAt + CODE_LIFETIME_MS;
  const codeHash = await sha256Hex(code);
  const result: SignInResult = { identity, invitationHash, codeHash, stateId, createdAt, expiresAt };
  return { code, sealed: await seal(deps, "outcome", result), expiresAt };
}

/** Returns the result that belongs to a code; null when it has expired or the browser does not keep it. */
export async function openSignInResult(
  deps: Deps,
  sealed: string | undefined,
  code: string,
): Promise<SignInResult | null> {
  const result = await unseal<SignInResult>(deps, "outcome", sealed);
  return result?.codeHash === (await sha256Hex(code)) ? result : null;
}

/** Extends the lifetime of a result, to leave time for typing a second factor. */
export async function prolonged(deps: Deps, result: SignInResult): Promise<SealedResult> {
  const expiresAt = result.createdAt + FACTOR_LIFETIME_MS;
  return { sealed: await seal(deps, "outcome", { ...result, expiresAt }), expiresAt };
}
