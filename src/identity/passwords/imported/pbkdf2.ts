/** PBKDF2 in PHC form. */

import { sha1 } from "@noble/hashes/legacy.js";
import { pbkdf2 } from "@noble/hashes/pbkdf2.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { utf8 } from "../../../base/crypto/encoding";
import { areEqual, bytesWithin, type HashReader, HashRefused, within } from "./hash";

/** WebCrypto throws above this number of iterations, in production only. */
const MAX_WEBCRYPTO_ITERATIONS = 100_000;

/** Above what frameworks use by default. With SHA-512 they take eight seconds of the ten that a request has. */
const MAX_ITERATIONS = 2_000_000;

const DIGESTS = {
  sha1: { name: "SHA-1", hash: sha1 },
  sha256: { name: "SHA-256", hash: sha256 },
  sha512: { name: "SHA-512", hash: sha512 },
} as const;

type Pbkdf2Digest = keyof typeof DIGESTS;

interface Pbkdf2 {
  digest: Pbkdf2Digest;
  iterations: number;
  salt: Uint8Array<ArrayBuffer>;
  expected: Uint8Array;
}

/** A hash that is checked with PBKDF2. Throws `HashBeyondBounds` for too many iterations. */
export function checkedPbkdf2({ digest, iterations, salt, expected }: Pbkdf2) {
  within(`the iterations of PBKDF2 with ${digest}`, iterations, 1, MAX_ITERATIONS);
  const derive = iterations <= MAX_WEBCRYPTO_ITERATIONS ? deriveInPlatform : deriveHere;
  return {
    matches: async (password: string) =>
      areEqual(await derive(password, { digest, iterations, salt, expected }), expected),
  };
}

async function deriveInPlatform(password: string, { digest, iterations, salt, expected }: Pbkdf2): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey("raw", utf8(password), "PBKDF2", false, ["deriveBits"]);
  const algorithm = { name: "PBKDF2", hash: DIGESTS[digest].name, salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 8 * expected.length));
}

/** In one go: the library's asynchronous form looks at the clock, which stands still here. */
const deriveHere = (password: string, { digest, iterations, salt, expected }: Pbkdf2): Uint8Array =>
  pbkdf2(DIGESTS[digest].hash, utf8(password), salt, { c: iterations, dkLen: expected.length });

const FORM = /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$i=(\d{1,9})(?:,l=(\d{1,3}))?\$([^$]+)\$([^$]+)$/;

/** `$pbkdf2[-sha1|-sha256|-sha512]$i=N[,l=L]$salt$tag`; SHA-1 when none is named. */
export const readPbkdf2: HashReader = (hash) => {
  const [, named = "sha1", iterations, length, saltText, tagText] = hash.match(FORM) ?? [];
  if (!iterations || !saltText || !tagText) return null;
  const salt = bytesWithin("the salt", saltText, 1, 64);
  const expected = bytesWithin("the tag", tagText, 16, 64);
  if (length !== undefined && Number(length) !== expected.length) {
    throw new HashRefused("password.hash: l of PBKDF2 must be the length of the tag");
  }
  return checkedPbkdf2({ digest: named as Pbkdf2Digest, iterations: Number(iterations), salt, expected });
};
