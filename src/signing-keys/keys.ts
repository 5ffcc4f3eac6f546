/**
 * The keys that sign a subscription's deliveries. The present secret is a column of the subscription; former secrets, which sign too
 * until a rotation is over, and Ed25519 keys are rows of their own.
 */
import { decrypt } from "../crypto/encryption";
import type { KeyRing } from "../crypto/keys";

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
  /** Null when it is not known any more, which never happens to an attempt that is made now. */
  secret: string | null;
  /** Newest first. */
  formerSecrets: readonly string[];
  /** Ed25519 private keys as PKCS #8 in base64, newest first. */
  privateKeys: readonly string[];
}

export const NO_KEYS: SigningKeys = { secret: null, formerSecrets: [], privateKeys: [] };

/** Decrypts a ciphertext that belongs to `owner`. */
export type Decrypt = (owner: string, encrypted: string) => Promise<string>;

/** The associated data that binds the encrypted present secret to its subscription. */
export const secretOwner = (subscriptionId: string) => `subscription:${subscriptionId}`;

/** The associated data that binds an encrypted key to its row. */
export const signingKeyOwner = (subscriptionId: string, id: string) => `signing-key:${subscriptionId}:${id}`;

/** Whether a key signs at `timeMs`. */
const isInForce = ({ startsAt, expiresAt }: StoredKey, timeMs: number) =>
  startsAt <= timeMs && (expiresAt === null || timeMs < expiresAt);

/** A subscription with the keys that are known of it. */
interface Signer {
  subscriptionId: string;
  /** The present secret. */
  secretSealed: string;
  keys: readonly StoredKey[];
}

/** The keys that sign at `nowMs`. Throws when one cannot be decrypted. */
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
 * The keys that signed at `thenMs`, as far as their secrets are still there. `hasEnded`: not all of them are. Throws when one cannot be
 * decrypted.
 */
export async function keysAt(
  decrypted: Decrypt,
  signer: PastSigner,
  thenMs: number,
): Promise<{ keys: SigningKeys; hasEnded: boolean }> {
  const { subscriptionId, secretSealed, secretSince } = signer;
  const began = newestFirst(signer.keys.filter(({ startsAt }) => startsAt <= thenMs));
  const secrets = ofKind(began, "v1");
  // Of former secrets, the newest one was the present one then, unless today's already was.
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

/** Decrypts those whose secrets are still there. */
const openAll = (decrypted: Decrypt, subscriptionId: string, keys: readonly StoredKey[]) =>
  Promise.all(
    keys
      .filter(({ sealed }) => sealed !== "")
      .map(({ id, sealed }) => decrypted(signingKeyOwner(subscriptionId, id), sealed)),
  );

/** Decrypts each ciphertext once: a batch has many deliveries of one subscription. */
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
