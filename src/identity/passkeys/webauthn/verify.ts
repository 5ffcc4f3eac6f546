/**
 * The checks of a registration (WebAuthn section 7.1) and of a sign-in (7.2). We ask for no attestation, and do not
 * read an attestation statement if there is one.
 */
import { base64url } from "jose";
import { decodeFirst, readAuthenticatorData } from "./authenticator-data";
import { checkClientData, decoded } from "./client-data";
import { isSignedBy, toJwk } from "./public-key";
import { ensure } from "./refusal";
import type { RelyingParty } from "./relying-party";
import type { Assertion, Attestation } from "./schemas";

/** What a registration has proven. */
export interface NewCredential {
  /** Base64url. */
  id: string;
  /** JWK in JSON. */
  publicKey: string;
  counter: number;
  backedUp: boolean;
  /** Hex. */
  aaguid: string;
}

/** Checks the answer to creation options with this challenge. Throws a Refusal. */
export async function verifyAttestation(
  rp: RelyingParty,
  challenge: string,
  given: Attestation,
): Promise<NewCredential> {
  checkClientData(given.response.clientDataJSON, { type: "webauthn.create", challenge, origins: rp.origins });
  const bytes = decoded(given.response.attestationObject);
  const { value, length } = decodeFirst(bytes);
  ensure(value instanceof Map && length === bytes.length, "malformed attestation");
  const authData = value.get("authData");
  ensure(authData instanceof Uint8Array, "malformed attestation");
  const { counter, backedUp, credential } = await readAuthenticatorData(new Uint8Array(authData), rp.id);
  ensure(credential, "malformed attestation");
  const id = base64url.encode(credential.id);
  ensure(id === given.id, "another credential");
  return { id, publicKey: await toJwk(credential.publicKey), counter, backedUp, aaguid: credential.aaguid };
}

/** The passkey with the id of the answer, as it is stored. */
export interface StoredCredential {
  id: string;
  userId: string;
  /** JWK in JSON. */
  publicKey: string;
  /** The model of the authenticator; empty for a passkey that was imported. */
  aaguid: string;
}

/** What a sign-in has proven. Only the write decides whether the counter has gone up and the challenge is unused. */
export interface VerifiedAssertion {
  counter: number;
  backedUp: boolean;
}

/**
 * Checks the answer to request options with this challenge. The answer must name the user unless the options have named
 * the passkey. An imported passkey has the name that the former service gave the user. Throws a Refusal.
 */
export async function verifyAssertion(
  rp: RelyingParty,
  challenge: string,
  given: Assertion,
  stored: StoredCredential & { wasNamed: boolean },
): Promise<VerifiedAssertion> {
  const { clientDataJSON, authenticatorData, signature, userHandle } = given.response;
  const clientData = checkClientData(clientDataJSON, { type: "webauthn.get", challenge, origins: rp.origins });
  const owner = userHandle ? new TextDecoder().decode(decoded(userHandle)) : null;
  const isImported = stored.aaguid === "";
  ensure(isImported || owner === stored.userId || (owner === null && stored.wasNamed), "another user");
  const authData = decoded(authenticatorData);
  const { counter, backedUp } = await readAuthenticatorData(authData, rp.id);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", clientData));
  const signed = new Uint8Array([...authData, ...hash]);
  ensure(await isSignedBy(stored.publicKey, decoded(signature), signed), "a wrong signature");
  return { counter, backedUp };
}
