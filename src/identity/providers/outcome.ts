/**
 * The outcome of a trip to a provider: the browser keeps it, encrypted, and the client's page gets a code. Neither is
 * worth anything without the other, so a code that leaks from a URL opens nothing.
 */
import { base64url } from "jose";
import { randomBytes, sha256Hex } from "../../platform/crypto/encoding";
import type { Deps } from "../../platform/deps";
import { MINUTE_MS } from "../../platform/time";
import type { ProviderIdentity } from "./identity";
import { seal, unseal } from "./sealed";

const CODE_BYTES = 32;
const CODE_LIFETIME_MS = MINUTE_MS;
/** The time for typing a second factor, once the code has been presented in time. */
const FACTOR_LIFETIME_MS = 5 * MINUTE_MS;

export interface Outcome {
  identity: ProviderIdentity;
  /** See `Errand`. */
  invitationHash: string | null;
  codeHash: string;
  /** The id under which the use of the code is stored. */
  stateId: string;
  createdAt: number;
  expiresAt: number;
}

/** An outcome for the browser to keep. */
export interface SealedOutcome {
  sealed: string;
  /** Unix ms. */
  expiresAt: number;
}

export async function newOutcome(
  deps: Deps,
  identity: ProviderIdentity,
  invitationHash: string | null,
): Promise<SealedOutcome & { code: string }> {
  const code = base64url.encode(randomBytes(CODE_BYTES));
  const createdAt = deps.now();
  const stateId = `${createdAt + FACTOR_LIFETIME_MS}:${base64url.encode(randomBytes(CODE_BYTES))}`;
  const expiresAt = createdAt + CODE_LIFETIME_MS;
  const codeHash = await sha256Hex(code);
  const outcome: Outcome = { identity, invitationHash, codeHash, stateId, createdAt, expiresAt };
  return { code, sealed: await seal(deps, "outcome", outcome), expiresAt };
}

/** Returns the outcome that belongs to a code; null when it has expired or the browser does not keep it. */
export async function openOutcome(deps: Deps, sealed: string | undefined, code: string): Promise<Outcome | null> {
  const outcome = await unseal<Outcome>(deps, "outcome", sealed);
  return outcome?.codeHash === (await sha256Hex(code)) ? outcome : null;
}

/** Extends the lifetime of an outcome, to leave time for typing a second factor. */
export async function prolonged(deps: Deps, outcome: Outcome): Promise<SealedOutcome> {
  const expiresAt = outcome.createdAt + FACTOR_LIFETIME_MS;
  return { sealed: await seal(deps, "outcome", { ...outcome, expiresAt }), expiresAt };
}
