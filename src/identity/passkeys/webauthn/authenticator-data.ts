/** What the authenticator says about a ceremony: the authenticator data (WebAuthn section 6.1). */
import { decodePartialCBOR } from "@levischuck/tiny-cbor";
import { toHex, utf8 } from "../../../base/crypto/encoding";
import { ensure, Refusal } from "./refusal";

const RP_ID_HASH_BYTES = 32;
const HEAD_BYTES = RP_ID_HASH_BYTES + 5;
const AAGUID_BYTES = 16;
const MAX_CREDENTIAL_ID_BYTES = 1023;
const FLAG = {
  userPresent: 0x01,
  userVerified: 0x04,
  mayBeBackedUp: 0x08,
  backedUp: 0x10,
  credential: 0x40,
  extensions: 0x80,
};

export type Cbor = ReturnType<typeof decodePartialCBOR>[0];

export interface AuthenticatorData {
  /** How often the passkey was used, as far as the authenticator counts; 0 if it does not. */
  counter: number;
  /** Whether the passkey is synchronised or backed up in another way. */
  backedUp: boolean;
  /** Only in a registration. */
  credential: AttestedCredential | null;
}

/** A new passkey. */
interface AttestedCredential {
  id: Uint8Array<ArrayBuffer>;
  /** The model of the authenticator in hex; zeros when it does not say. */
  aaguid: string;
  /** A COSE key. */
  publicKey: Cbor;
}

/**
 * Parses authenticator data. Throws a Refusal when it is malformed or made for another relying party, or when the user
 * was not present or not verified.
 */
export async function readAuthenticatorData(bytes: Uint8Array<ArrayBuffer>, rpId: string): Promise<AuthenticatorData> {
  ensure(bytes.length >= HEAD_BYTES, "malformed authenticator data");
  const expected = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(rpId)));
  ensure(toHex(bytes.subarray(0, RP_ID_HASH_BYTES)) === toHex(expected), "another relying party");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint8(RP_ID_HASH_BYTES);
  const has = (flag: keyof typeof FLAG) => (flags & FLAG[flag]) !== 0;
  ensure(has("userPresent"), "no user present");
  ensure(has("userVerified"), "no user verification");
  ensure(has("mayBeBackedUp") || !has("backedUp"), "malformed authenticator data");
  const attested = has("credential") ? readCredential(bytes.slice(HEAD_BYTES)) : null;
  const rest = bytes.slice(HEAD_BYTES + (attested?.length ?? 0));
  ensure((has("extensions") ? decodeFirst(rest).length : 0) === rest.length, "malformed authenticator data");
  const counter = view.getUint32(RP_ID_HASH_BYTES + 1);
  return { counter, backedUp: has("backedUp"), credential: attested?.credential ?? null };
}

function readCredential(bytes: Uint8Array<ArrayBuffer>): { credential: AttestedCredential; length: number } {
  const idAt = AAGUID_BYTES + 2;
  ensure(bytes.length > idAt, "malformed authenticator data");
  const idLength = new DataView(bytes.buffer).getUint16(AAGUID_BYTES);
  const keyAt = idAt + idLength;
  ensure(idLength > 0 && idLength <= MAX_CREDENTIAL_ID_BYTES && bytes.length > keyAt, "malformed authenticator data");
  const key = decodeFirst(bytes.slice(keyAt));
  const credential = {
    id: bytes.slice(idAt, keyAt),
    aaguid: toHex(bytes.subarray(0, AAGUID_BYTES)),
    publicKey: key.value,
  };
  return { credential, length: keyAt + key.length };
}

/** Decodes the CBOR value with which the bytes begin. Throws a Refusal when it is malformed or incomplete. */
export function decodeFirst(bytes: Uint8Array<ArrayBuffer>): { value: Cbor; length: number } {
  try {
    const [value, length] = decodePartialCBOR(bytes, 0);
    if (length <= bytes.length) return { value, length };
  } catch {
    // Refused below.
  }
  throw new Refusal("malformed CBOR");
}
