/**
 * The result of a sign-in at a provider. The browser keeps it, encrypted, and the client's page gets a code. Neither is
 * worth anything without the other, so a code that leaks from a URL opens nothing.
 */
import { base64url } from "jose";
import { randomBytes, sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { MINUTE_MS } from "../../base/time";
import type { ProviderIdentity } from "./identity";
import { seal, unseal } from "./sealed";

const CODE_BYTES = 32;
const CODE_LIFETIME_MS = MINUTE_MS;
/** The time for typing a second factor, once the code has been presented in time. */
const FACTOR_LIFETIME_MS = 5 * MINUTE_MS;

/** What goes with every result. */
interface Kept {
  codeHash: string;
  /** The id under which the use of the code is stored. */
  stateId: string;
  createdAt: number;
  expiresAt: number;
}

/** What a result is of: a sign-in with a provider or with the tenant's own, or a session that this one confirms. */
type Purpose = "outcome" | "signed on" | "confirmed by sign-on";

interface SignedIn {
  identity: ProviderIdentity;
  /** See `FlowPurpose`. */
  invitationHash: string | null;
}

export type SignInResult = SignedIn & Kept;

/** A result for the browser to keep. */
export interface SealedResult {
  sealed: string;
  /** Unix ms. */
  expiresAt: number;
}

export const newSignInResult = (deps: Deps, identity: ProviderIdentity, invitationHash: string | null) =>
  sealResult<SignedIn>(deps, "outcome", { identity, invitationHash });

/** An id for a state of which results can be made until then (Unix ms). */
export const newStateId = (untilMs: number): string =>
  `${untilMs + FACTOR_LIFETIME_MS}:${base64url.encode(randomBytes(CODE_BYTES))}`;

/** Seals a result, and returns the code that opens it. Of several with one `givenStateId`, one is used. */
export async function sealResult<T extends object>(
  deps: Deps,
  purpose: Purpose,
  value: T,
  givenStateId?: string,
): Promise<SealedResult & { code: string }> {
  const code = base64url.encode(randomBytes(CODE_BYTES));
  const createdAt = deps.now();
  const stateId = givenStateId ?? newStateId(createdAt);
  const expiresAt = createdAt + CODE_LIFETIME_MS;
  const result: T & Kept = { ...value, codeHash: await sha256Hex(code), stateId, createdAt, expiresAt };
  return { code, sealed: await seal(deps, purpose, result), expiresAt };
}

export const openSignInResult = (deps: Deps, sealed: string | undefined, code: string): Promise<SignInResult | null> =>
  openResult<SignedIn>(deps, "outcome", sealed, code);

/** Returns the result that belongs to a code; null when it has expired or the browser does not keep it. */
export async function openResult<T extends object>(
  deps: Deps,
  purpose: Purpose,
  sealed: string | undefined,
  code: string,
): Promise<(T & Kept) | null> {
  const result = await unseal<T & Kept>(deps, purpose, sealed);
  return result?.codeHash === (await sha256Hex(code)) ? result : null;
}

/** Extends the lifetime of a result, to leave time for typing a second factor. */
export async function prolonged(
  deps: Deps,
  result: Pick<Kept, "createdAt">,
  purpose: Purpose = "outcome",
): Promise<SealedResult> {
  const expiresAt = result.createdAt + FACTOR_LIFETIME_MS;
  return { sealed: await seal(deps, purpose, { ...result, expiresAt }), expiresAt };
}
