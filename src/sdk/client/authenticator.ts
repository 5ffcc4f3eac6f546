/** The browser's side of passkeys: `navigator.credentials` uses bytes, the API base64url. */
import { fromBase64Url, toBase64Url } from "../base64url";
import type { PasskeyAssertion, PasskeyAttestation, PasskeyCreationOptions, PasskeyRequestOptions } from "./generated";

/** The part of `navigator.credentials` that passkeys need. */
export interface Authenticators {
  /** Makes a passkey. */
  create(options: { publicKey: unknown; signal?: AbortSignal }): Promise<unknown>;
  /** Shows a passkey. */
  get(options: { publicKey: unknown; signal?: AbortSignal; mediation?: "conditional" }): Promise<unknown>;
}

/** What `create` and `get` return: a `PublicKeyCredential`. */
interface Made {
  id: string;
  response: {
    clientDataJSON: ArrayBuffer;
    attestationObject: ArrayBuffer;
    authenticatorData: ArrayBuffer;
    signature: ArrayBuffer;
    userHandle: ArrayBuffer | null;
    getTransports?(): string[];
  };
}

/** Returns the browser's `navigator.credentials`. Throws TypeError where there is none. */
export function browserAuthenticators(): Authenticators {
  const { navigator } = globalThis as { navigator?: { credentials?: Authenticators } };
  if (!navigator?.credentials) throw new TypeError("There are no passkeys here: navigator.credentials is missing.");
  return navigator.credentials;
}

/**
 * Lets the browser make a passkey. Throws the browser's DOMException, such as NotAllowedError when the user declines.
 */
export async function makePasskey(
  authenticators: Authenticators,
  options: PasskeyCreationOptions["options"],
  signal: AbortSignal | undefined,
): Promise<PasskeyAttestation> {
  const publicKey = {
    ...options,
    challenge: fromBase64Url(options.challenge),
    user: { ...options.user, id: fromBase64Url(options.user.id) },
    excludeCredentials: options.excludeCredentials.map((credential) => ({
      ...credential,
      id: fromBase64Url(credential.id),
    })),
  };
  const { id, response } = made(await authenticators.create({ publicKey, ...(signal ? { signal } : {}) }));
  return {
    id,
    type: "public-key",
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  };
}

/** Lets the browser show a passkey. Throws as `makePasskey`. */
export async function showPasskey(
  authenticators: Authenticators,
  options: PasskeyRequestOptions["options"],
  how: { signal?: AbortSignal; mediation?: "conditional" },
): Promise<PasskeyAssertion> {
  const publicKey = {
    ...options,
    challenge: fromBase64Url(options.challenge),
    allowCredentials: options.allowCredentials.map((credential) => ({
      ...credential,
      id: fromBase64Url(credential.id),
    })),
  };
  const { id, response } = made(await authenticators.get({ publicKey, ...how }));
  return {
    id,
    type: "public-key",
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
      userHandle: response.userHandle ? textOf(response.userHandle) : null,
    },
  };
}

interface Signals {
  signalUnknownCredential?(credential: { rpId: string; credentialId: string }): Promise<void>;
}

/**
 * Tells the browser that a passkey was removed, so that it offers it no longer (WebAuthn Level 3, section 5.1.10).
 * Never throws: many browsers cannot be told, and the passkey opens nothing any more.
 */
export async function forgetPasskey(credentialId: string, rpIdOf: () => Promise<string>): Promise<void> {
  const { PublicKeyCredential: signals } = globalThis as { PublicKeyCredential?: Signals };
  if (!signals?.signalUnknownCredential) return;
  try {
    await signals.signalUnknownCredential({ rpId: await rpIdOf(), credentialId });
  } catch {
    return;
  }
}

function made(credential: unknown): Made {
  if (!credential) throw new DOMException("The browser gave no passkey.", "NotAllowedError");
  return credential as Made;
}

const textOf = (buffer: ArrayBuffer): string => toBase64Url(new Uint8Array(buffer));
