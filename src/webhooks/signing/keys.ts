/**
 * The keys that sign the deliveries of a subscription. The present secret is a column of the subscription. The table
 * `signing_keys` has the former secrets, which sign until their overlap ends, and the Ed25519 keys.
 */
import { decrypt } from "../../base/crypto/encryption";
import type { KeyRing } from "../../base/crypto/keys";

/** A row of `signing_keys`. Times are Unix ms. */
export interface StoredKey {
  id: string;
  kind: "v1" | "v1a";
  /** "" when the key has ended. */
  sealed: string;
  startsAt: number;
  expiresAt: number | null;
}

/** Everything that signs an attempt. */
export interface SigningKeys {
  /** Null if it was erased, which can only be the case for a past attempt. */
  secret: string | null;
  /** Newest first. */
  formerSecrets: readonly string[];
  /** Ed25519 private keys as PKCS #8 in base64, newest first. */
  privateKeys: readonly string[];
}

export const NO_KEYS: SigningKeys = { secret: null, formerSecrets: [], privateKeys: [] };

/** Decrypts a ciphertext that belongs to `owner`. */
export type Decrypt = (owner: string, encrypted: string) => Promise<string>;

/** Returns the associated data that binds the encrypted present secret to its subscription. */
export const secretOwner = (subscriptionId: string) => `subscription:${subscriptionId}`;

/** Returns the associated data that binds an encrypted key to its row. */
export const signingKeyOwner = (subscriptionId: string, id: string) => `signing-key:${subscriptionId}:${id}`;

/** Whether a key signs at `timeMs`. */
const isInForce = ({ startsAt, expiresAt }: StoredKey, timeMs: number) =>
  startsAt <= timeMs && (expiresAt === null || timeMs < expiresAt);

/** A subscription with its stored keys. */
interface Signer {
  subscriptionId: string;
  /** The present secret. */
  secretSealed: string;
  keys: readonly StoredKey[];
}

/** Returns the keys that sign at `nowMs`. Throws when one cannot be decrypted. */
export async function keysInForce(decrypted: Decrypt, signer: Signer, nowMs: number): Promise<SigningKeys> {
  const inForce = newestFirst(signer.keys.filter((key) => isInForce(key, nowMs)));
  return {
    secret: await decrypted(secretOwner(signer.subscriptionId), signer.secretSealed),
    formerSecrets: await openAll(decrypted, signer.subscriptionId, ofKind(inForce, "v1")),
    privateKeys: await openAll(decrypted, signer.subscriptionId, ofKind(inForce, "v1a")),
  };
}

interface PastSigner extends Signer {
  /** When the present secret began to sign, Unix ms. */
  secretSince: number;
  signsV1a: boolean;
}

/**
 * Returns the keys that signed at `thenMs` and whose secrets are still stored. `hasEnded` is true if some secrets are
 * not stored any more. Throws when one cannot be decrypted.
 */
export async function keysAt(
  decrypted: Decrypt,
  signer: PastSigner,
  thenMs: number,
): Promise<{ keys: SigningKeys; hasEnded: boolean }> {
  const { subscriptionId, secretSealed, secretSince } = signer;
  const began = newestFirst(signer.keys.filter(({ startsAt }) => startsAt <= thenMs));
  const secrets = ofKind(began, "v1");
  // If the secret has changed since then, the secret of that time is the newest former one that had started.
  const isToday = thenMs >= secretSince;
  const present = isToday ? undefined : secrets[0];
  const former = (isToday ? secrets : secrets.slice(1)).filter((key) => isInForce(key, thenMs));
  const asymmetric = signer.signsV1a ? ofKind(began, "v1a").filter((key) => isInForce(key, thenMs)) : [];
  const [openedPresent = null] = present ? await openAll(decrypted, subscriptionId, [present]) : [];
  const keys = {
    secret: isToday ? await decrypted(secretOwner(subscriptionId), secretSealed) : openedPresent,
    formerSecrets: await openAll(decrypted, subscriptionId, former),
    privateKeys: await openAll(decrypted, subscriptionId, asymmetric),
  };
  return { keys, hasEnded: keys.secret === null || [...former, ...asymmetric].some(({ sealed }) => sealed === "") };
}

const newestFirst = (keys: readonly StoredKey[]) => keys.toSorted((a, b) => b.startsAt - a.startsAt);

const ofKind = (keys: readonly StoredKey[], kind: StoredKey["kind"]) => keys.filter((key) => key.kind === kind);

/** Decrypts the keys whose secrets are still stored. */
const openAll = (decrypted: Decrypt, subscriptionId: string, keys: readonly StoredKey[]) =>
  Promise.all(
    keys
      .filter(({ sealed }) => sealed !== "")
      .map(({ id, sealed }) => decrypted(signingKeyOwner(subscriptionId, id), sealed)),
  );

/**
 * Returns a function that decrypts each ciphertext only once, because a batch has many deliveries of the same
 * subscription.
 */
export function decryptOnce(keys: KeyRing): Decrypt {
  const opened = new Map<string, Promise<string>>();
  return (owner, encrypted) => {
    const name = `${owner} ${encrypted}`;
    const known = opened.get(name);
    const plaintext = known ?? decrypt(keys, owner, encrypted);
    opened.set(name, plaintext);
    return plaintext;
  };
}
