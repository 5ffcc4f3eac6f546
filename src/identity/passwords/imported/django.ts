/** The hashes of Django's `auth_user.password`. */
import { sha256Hex, utf8 } from "../../../base/crypto/encoding";
import { readArgon2 } from "./argon2";
import { readBcrypt } from "./bcrypt";
import { bytesWithin, type HashReader } from "./hash";
import { checkedPbkdf2 } from "./pbkdf2";

const PBKDF2 = /^pbkdf2_(sha1|sha256)\$(\d{1,9})\$([^$]{1,64})\$([^$]+)$/;

/** `pbkdf2_sha256$`, `pbkdf2_sha1$`, `bcrypt$`, `bcrypt_sha256$` and `argon2$`. */
export const readDjango: HashReader = (hash) => {
  const [, digest, iterations, salt, tag] = hash.match(PBKDF2) ?? [];
  if ((digest === "sha1" || digest === "sha256") && salt && tag) {
    const expected = bytesWithin("the tag", tag, 16, 64);
    return checkedPbkdf2({ digest, iterations: Number(iterations), salt: utf8(salt), expected });
  }
  if (hash.startsWith("argon2$")) return readArgon2(hash.slice("argon2".length));
  if (hash.startsWith("bcrypt$")) return readBcrypt(hash.slice("bcrypt$".length));
  if (!hash.startsWith("bcrypt_sha256$")) return null;
  const inner = readBcrypt(hash.slice("bcrypt_sha256$".length));
  return inner && { matches: async (password) => inner.matches(await sha256Hex(password)) };
};
