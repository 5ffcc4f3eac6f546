/**
 * An authenticator in software, which can also misbehave. It creates and uses passkeys, and returns what a browser
 * would.
 */
import { encodeCBOR } from "@levischuck/tiny-cbor";
import { base64url } from "jose";
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from "../../src/sdk/client";

/** Where the service under test lets passkeys be used: the host of its `APP_URL`. */
export const ORIGIN = "http://localhost:8787";
const FLAGS = { userPresent: 1, userVerified: 4, mayBeBackedUp: 8, backedUp: 16, credential: 64, extensions: 128 };
const COSE = { EdDSA: -8, ES256: -7, RS256: -257 };

export type Algorithm = keyof typeof COSE;

/** A passkey with its private key. */
export interface SoftPasskey {
  id: string;
  rpId: string;
  userHandle: string;
  algorithm: Algorithm;
  keys: CryptoKeyPair;
  counter: number;
}

/** What to do differently from an honest browser with an honest authenticator. */
export interface Misbehaviour {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  userVerified?: boolean;
  userPresent?: boolean;
  /** Not misbehaviour: the passkey is backed up. */
  backedUp?: boolean;
  backedUpOnly?: boolean;
  counter?: number;
  userHandle?: string | null;
  /** The id that it claims to have. */
  id?: string;
  /** Bytes after the authenticator data. */
  trailing?: number;
  /** Labels of the COSE key that get other values. */
  cose?: Record<number, number | Uint8Array>;
}

const utf8 = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const bytesOf = (text: string | undefined) => new Uint8Array(base64url.decode(text ?? ""));

const ALGORITHMS = {
  EdDSA: { name: "Ed25519" },
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
};

async function coseKey(algorithm: Algorithm, key: CryptoKey): Promise<Map<number, number | Uint8Array>> {
  const jwk = (await crypto.subtle.exportKey("jwk", key)) as JsonWebKey;
  const alg: [number, number] = [3, COSE[algorithm]];
  if (algorithm === "EdDSA") return new Map<number, number | Uint8Array>([[1, 1], alg, [-1, 6], [-2, bytesOf(jwk.x)]]);
  if (algorithm === "RS256")
    return new Map<number, number | Uint8Array>([[1, 3], alg, [-1, bytesOf(jwk.n)], [-2, bytesOf(jwk.e)]]);
  return new Map<number, number | Uint8Array>([[1, 2], alg, [-1, 1], [-2, bytesOf(jwk.x)], [-3, bytesOf(jwk.y)]]);
}

function clientData(type: string, challenge: string, wrong: Misbehaviour): Uint8Array<ArrayBuffer> {
  const { origin = ORIGIN, crossOrigin = false } = wrong;
  return utf8(
    JSON.stringify({ type: wrong.type ?? type, challenge: wrong.challenge ?? challenge, origin, crossOrigin }),
  );
}

async function authenticatorData(rpId: string, counter: number, wrong: Misbehaviour, attested: readonly number[] = []) {
  const { userPresent = true, userVerified = true, backedUp = false, backedUpOnly = false } = wrong;
  const flags =
    (userPresent ? FLAGS.userPresent : 0) |
    (userVerified ? FLAGS.userVerified : 0) |
    (backedUp ? FLAGS.mayBeBackedUp : 0) |
    (backedUp || backedUpOnly ? FLAGS.backedUp : 0) |
    (attested.length > 0 ? FLAGS.credential : 0);
  const head = new Uint8Array(5);
  new DataView(head.buffer).setUint8(0, flags);
  new DataView(head.buffer).setUint32(1, wrong.counter ?? counter);
  const trailing = new Array<number>(wrong.trailing ?? 0).fill(0);
  return new Uint8Array([...(await sha256(utf8(wrong.rpId ?? rpId))), ...head, ...attested, ...trailing]);
}

/** Creates a passkey for the options, and the response that is sent to the service. */
export async function make(
  { options }: PasskeyCreationOptions,
  { algorithm = "ES256", ...wrong }: Misbehaviour & { algorithm?: Algorithm } = {},
): Promise<{ passkey: SoftPasskey; response: PasskeyAttestation }> {
  const keys = (await crypto.subtle.generateKey(ALGORITHMS[algorithm], true, ["sign", "verify"])) as CryptoKeyPair;
  const id = crypto.getRandomValues(new Uint8Array(20));
  const cose = await coseKey(algorithm, keys.publicKey);
  for (const [label, value] of Object.entries(wrong.cose ?? {})) cose.set(Number(label), value);
  const key = encodeCBOR(cose);
  const attested = [...new Uint8Array(16), 0, id.length, ...id, ...key];
  const authData = await authenticatorData(options.rp.id, 0, wrong, attested);
  const attestationObject = encodeCBOR(
    new Map<string, string | Uint8Array | Map<string, string>>([
      ["fmt", "none"],
      ["attStmt", new Map<string, string>()],
      ["authData", authData],
    ]),
  );
  const passkey: SoftPasskey = {
    id: base64url.encode(id),
    rpId: options.rp.id,
    userHandle: options.user.id,
    algorithm,
    keys,
    counter: wrong.counter ?? 0,
  };
  const response = {
    clientDataJSON: base64url.encode(clientData("webauthn.create", options.challenge, wrong)),
    attestationObject: base64url.encode(attestationObject),
    transports: ["internal"],
  };
  return { passkey, response: { id: wrong.id ?? passkey.id, type: "public-key", response } };
}

/** Uses a passkey for the options. */
export async function show(
  { options }: PasskeyRequestOptions,
  passkey: SoftPasskey,
  wrong: Misbehaviour = {},
): Promise<PasskeyAssertion> {
  const authData = await authenticatorData(passkey.rpId, passkey.counter, wrong);
  const client = clientData("webauthn.get", options.challenge, wrong);
  const signature = await sign(passkey, new Uint8Array([...authData, ...(await sha256(client))]));
  const userHandle = wrong.userHandle === undefined ? passkey.userHandle : wrong.userHandle;
  const response = {
    clientDataJSON: base64url.encode(client),
    authenticatorData: base64url.encode(authData),
    signature: base64url.encode(signature),
    userHandle,
  };
  return { id: wrong.id ?? passkey.id, type: "public-key", response };
}

async function sign({ algorithm, keys }: SoftPasskey, data: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const parameters = algorithm === "ES256" ? { name: "ECDSA", hash: "SHA-256" } : ALGORITHMS[algorithm].name;
  const signature = new Uint8Array(await crypto.subtle.sign(parameters, keys.privateKey, data));
  return algorithm === "ES256" ? toDer(signature) : signature;
}

/** ECDSA signatures of authenticators are ASN.1: a sequence of two integers without leading zeros. */
function toDer(raw: Uint8Array): Uint8Array {
  const integer = (half: Uint8Array) => {
    const start = half.findIndex((byte) => byte !== 0);
    const digits = half.subarray(start < 0 ? half.length - 1 : start);
    const padded = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : [...digits];
    return [0x02, padded.length, ...padded];
  };
  const both = [...integer(raw.subarray(0, 32)), ...integer(raw.subarray(32))];
  return new Uint8Array([0x30, both.length, ...both]);
}
