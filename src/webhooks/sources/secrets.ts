/** The secrets of a source: one encrypted list for each source. */
import { fromBase64, fromHex, utf8 } from "../../base/crypto/encoding";
import { decrypt, encrypt } from "../../base/crypto/encryption";
import { base64Key } from "../../base/crypto/webhook-signature";
import type { Deps } from "../../base/deps";
import { iso } from "../../base/time";
import type { SourceOptions } from "./option-schemas";
import type { Source, SourceProvider } from "./schemas";

export interface SourceSecret {
  id: string;
  secret: string;
  /** Unix ms. */
  createdAt: number;
}

const PUBLIC_KEY_PREFIX = "whpk_";
const PUBLIC_KEY_BYTES = 32;
/** From so many characters on, the last four tell a secret from others and do not give it away. */
const MIN_SHOWN_CHARACTERS = 12;

/** Returns the associated data that binds the encrypted secrets to their source. */
export const sourceOwner = (sourceId: string) => `source:${sourceId}`;

export const sealSecrets = ({ keys }: Deps, sourceId: string, secrets: readonly SourceSecret[]): Promise<string> =>
  encrypt(keys, sourceOwner(sourceId), JSON.stringify(secrets));

export const openSecrets = async ({ keys }: Deps, sourceId: string, sealed: string): Promise<SourceSecret[]> =>
  JSON.parse(await decrypt(keys, sourceOwner(sourceId), sealed)) as SourceSecret[];

/** A secret as the API shows it. */
export const secretView = ({ id, secret, createdAt }: SourceSecret): Source["secrets"][number] => ({
  id,
  ...(secret.length < MIN_SHOWN_CHARACTERS ? {} : { last4: secret.slice(-4) }),
  createdAt: iso(createdAt),
});

/** What verifies signatures: the bytes of an HMAC key, or a public Ed25519 key. */
export interface VerifyingKey {
  kind: "hmac" | "ed25519";
  bytes: Uint8Array<ArrayBuffer>;
}

/** The key in a secret. Throws for a secret that is not in the form which its prefix or its encoding demands. */
export function keyOf(provider: SourceProvider, { verification }: SourceOptions, secret: string): VerifyingKey {
  if (provider === "standard" && secret.startsWith(PUBLIC_KEY_PREFIX)) {
    const bytes = fromBase64(secret.slice(PUBLIC_KEY_PREFIX.length));
    if (bytes.length !== PUBLIC_KEY_BYTES) throw new Error("a public key has 32 bytes");
    return { kind: "ed25519", bytes };
  }
  return { kind: "hmac", bytes: hmacKey(provider, verification?.secretEncoding ?? "utf8", secret) };
}

function hmacKey(provider: SourceProvider, encoding: "utf8" | "hex" | "base64", secret: string) {
  if (provider === "standard" && secret.startsWith("whsec_")) return nonEmpty(base64Key(secret));
  if (provider !== "hmac" || encoding === "utf8") return utf8(secret);
  return nonEmpty(encoding === "hex" ? fromHex(secret) : fromBase64(secret));
}

function nonEmpty(bytes: Uint8Array<ArrayBuffer>) {
  if (bytes.length === 0) throw new Error("an empty key");
  return bytes;
}
