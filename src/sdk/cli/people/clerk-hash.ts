/** The password hashes of Clerk's export, whose column `password_hasher` says which form they have. */
import { base64OfHex, scryptOfWerkzeug } from "./foreign-hash";

/** Hashes that the service reads as they are. */
const AS_THEY_ARE = ["bcrypt", "bcrypt_sha256_django", "argon2i", "argon2id", "argon2d", "pbkdf2_sha256_django"];

/** Hashes that have another form here, by their hasher. Each returns undefined for a digest of another form. */
const REWRITTEN: Readonly<Record<string, (digest: string) => string | undefined>> = {
  pbkdf2_sha256: (digest) => {
    const [, iterations, salt, key] = digest.match(/^pbkdf2_sha256\$(\d+)\$([^$]+)\$([^$]+)$/) ?? [];
    return key && `$pbkdf2-sha256$i=${iterations}$${salt}$${key}`;
  },
  // As Django's, but with the key in hex.
  pbkdf2_sha1: (digest) => {
    const [, before, key] = digest.match(/^(pbkdf2_sha1\$\d+\$[^$]+\$)([0-9a-f]+)$/i) ?? [];
    return key && before + base64OfHex(key);
  },
  scrypt_werkzeug: scryptOfWerkzeug,
};

/** The hash as an import takes it; undefined for one that it does not take. */
export function hashOfClerk(hasher: string, digest: string): string | undefined {
  if (AS_THEY_ARE.includes(hasher)) return digest;
  return Object.hasOwn(REWRITTEN, hasher) ? REWRITTEN[hasher]?.(digest) : undefined;
}
