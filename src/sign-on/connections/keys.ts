/** With what a connection proves itself at its provider: its secret, or a key of its own (RFC 7523). */
import type { JWK } from "jose";
import { decrypt } from "../../base/crypto/encryption";
import type { KeySet } from "../../base/crypto/keys";
import { p256Key, type SigningKey } from "../../base/crypto/signing-keys";
import type { Deps } from "../../base/deps";
import type { ConnectionProof } from "../oidc/tokens";
import { SignOnRefused } from "../refused";
import { connectionOwner } from "../sealed";
import type { ConnectionRow } from "./store";

/** See `p256Key`. */
const SEED_BITS = 384;

const keyOf = async (entry: KeySet, id: string): Promise<SigningKey> =>
  p256Key(await entry.bytesFor(`connection/${id}`, SEED_BITS));

/** The public keys of a connection, one of each entry of `SECRET_KEYS`, newest first. */
export const publicKeysOf = async ({ keys }: Pick<Deps, "keys">, id: string): Promise<JWK[]> =>
  (await Promise.all(keys.map((entry) => keyOf(entry, id)))).map(({ publicJwk }) => publicJwk);

/** One whose entry is gone from SECRET_KEYS proves nothing, as one that the provider does not accept. */
async function secretOf(keys: Deps["keys"], id: string, sealed: string): Promise<string> {
  try {
    return await decrypt(keys, connectionOwner(id), sealed);
  } catch {
    throw new SignOnRefused("token", "bad_client");
  }
}

/**
 * Reads the secret, or derives the key of the entry that signs tokens: providers read new keys only after a while.
 * Throws SignOnRefused.
 */
export async function proofOf(
  { keys, signers }: Pick<Deps, "keys" | "signers">,
  { id, settings, secretSealed }: Pick<ConnectionRow, "id" | "settings" | "secretSealed">,
): Promise<ConnectionProof> {
  if (settings.oidc.clientAuth === "secret") {
    return { secret: await secretOf(keys, id, secretSealed ?? "") };
  }
  const { kid: signing } = (await signers.ofAlgorithm("ES256")).key;
  const entry = keys.find((one) => one.signing.ES256.kid === signing) ?? keys[0];
  const { kid, privateKey } = await keyOf(entry, id);
  return { key: privateKey as CryptoKey, kid };
}
