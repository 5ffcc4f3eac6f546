/** The secrets of a source: one encrypted list for each source. */
import { fromAnyBase64, fromBase64, fromHex, utf8 } from "../../base/crypto/encoding";
import { decrypt, encrypt } from "../../base/crypto/encryption";
import type { Deps } from "../../base/deps";
import { iso } from "../../base/time";
import type { SourceOptions } from "./option-schemas";
import { isKeyKind, type KeyKind, publicKeyIn } from "./public-keys";
import type { Source, SourceProvider } from "./schemas";

export interface SourceSecret {
  id: string;
  secret: string;
  /** Unix ms. */
  createdAt: number;
}

const PUBLIC_KEY_PREFIX = "whpk_";
const SECRET_PREFIX = "whsec_";
/** How some providers show a secret of Standard Webhooks: with the version of the signatures that it makes. */
const VERSIONED_PREFIX = `v1,${SECRET_PREFIX}`;
const PUBLIC_KEY_BYTES = 32;
/** Whoever has seen one call can try all short secrets. The other providers choose their secrets themselves. */
const MIN_CHARACTERS: Record<SourceProvider, number> = {
  stripe: 8,
  github: 8,
  shopify: 8,
  slack: 8,
  twilio: 8,
  sendgrid: 8,
  mailgun: 8,
  standard: 16,
  hmac: 16,
};
/** From so many characters on, the last four tell a secret from others and do not give it away. */
const MIN_SHOWN_CHARACTERS = 12;

/** Returns the associated data that binds the encrypted secrets to their source. */
export const sourceOwner = (sourceId: string) => `source:${sourceId}`;

export const sealSecrets = ({ keys }: Deps, sourceId: string, secrets: readonly SourceSecret[]): Promise<string> =>
  encrypt(keys, sourceOwner(sourceId), JSON.stringify(secrets));

export const openSecrets = async ({ keys }: Deps, sourceId: string, sealed: string): Promise<SourceSecret[]> =>
  JSON.parse(await decrypt(keys, sourceOwner(sourceId), sealed)) as SourceSecret[];

/** A secret as somebody copied it, without what is not part of it. */
export function givenSecret(provider: SourceProvider, text: string): string {
  const secret = text.trim();
  return provider === "standard" && secret.startsWith(VERSIONED_PREFIX) ? secret.slice("v1,".length) : secret;
}

/** Why a new secret is too short; null if it is not. */
export function tooShort(provider: SourceProvider, secret: string): string | null {
  const least = MIN_CHARACTERS[provider];
  const length =
    provider === "standard" && secret.startsWith(SECRET_PREFIX) ? secret.length - SECRET_PREFIX.length : secret.length;
  return length < least ? `A secret must have at least ${least} characters` : null;
}

/** A secret as the API shows it. */
export const secretView = ({ id, secret, createdAt }: SourceSecret): Source["secrets"][number] => ({
  id,
  ...(secret.length < MIN_SHOWN_CHARACTERS ? {} : { last4: secret.slice(-4) }),
  createdAt: iso(createdAt),
});

/** What verifies signatures: the bytes of an HMAC key, or a public key. */
export interface VerifyingKey {
  kind: "hmac" | KeyKind;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Of which kind the public key is that stands in place of a secret; null for a secret. */
export function publicKeyKind(provider: SourceProvider, algorithm: string | undefined): KeyKind | null {
  if (provider === "sendgrid") return "ecdsa";
  return provider === "hmac" && isKeyKind(algorithm) ? algorithm : null;
}

/** The key in a secret. Throws for a secret that is not in the form which its prefix or its encoding demands. */
export function keyOf(provider: SourceProvider, { verification }: SourceOptions, secret: string): VerifyingKey {
  if (provider === "standard" && secret.startsWith(PUBLIC_KEY_PREFIX)) {
    const bytes = fromBase64(secret.slice(PUBLIC_KEY_PREFIX.length));
    if (bytes.length !== PUBLIC_KEY_BYTES) throw new Error("a public key has 32 bytes");
    return { kind: "ed25519", bytes };
  }
  const kind = publicKeyKind(provider, verification?.algorithm);
  if (kind) return { kind, bytes: publicKeyIn(kind, secret) };
  return { kind: "hmac", bytes: hmacKey(provider, verification?.secretEncoding ?? "utf8", secret) };
}

function hmacKey(provider: SourceProvider, encoding: "utf8" | "hex" | "base64", secret: string) {
  if (provider === "standard" && secret.startsWith(SECRET_PREFIX))
    return nonEmpty(fromAnyBase64(withoutPrefix(secret)));
  if (provider !== "hmac" || encoding === "utf8") return utf8(secret);
  return nonEmpty(encoding === "hex" ? fromHex(secret) : fromAnyBase64(withoutPrefix(secret)));
}

const withoutPrefix = (secret: string): string =>
  secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;

function nonEmpty(bytes: Uint8Array<ArrayBuffer>) {
  if (bytes.length === 0) throw new Error("an empty key");
  return bytes;
}

const PUBLIC_KEY = {
  ed25519: { name: "Ed25519" },
  ecdsa: { name: "ECDSA", namedCurve: "P-256" },
  rsa: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
};

/** The key for WebCrypto. Throws for a point that is not on its curve. */
export const imported = ({ kind, bytes }: VerifyingKey, hash: string): Promise<CryptoKey> => {
  const algorithm = kind === "hmac" ? { name: "HMAC", hash } : PUBLIC_KEY[kind];
  return crypto.subtle.importKey(kind === "rsa" ? "spki" : "raw", bytes, algorithm, false, ["verify"]);
};
