/** Hashes of passwords that are too short for ours. */
import { randomBytes, toBase64 } from "../../../base/crypto/encoding";
import { newId } from "../../../base/db/ids";
import { tagHash } from "./read";
import { deriveScrypt } from "./scrypt";

/** As strong as OWASP's minimum for scrypt. */
const COST = { N: 2 ** 14, r: 8, p: 5 };
const [SALT_BYTES, KEY_BYTES] = [16, 32];

const unpadded = (bytes: Uint8Array) => toBase64(bytes).replaceAll("=", "");

/** The hash as `users.password_hash` stores it: like an imported one, which stays until the password is changed. */
export async function hashShortPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await deriveScrypt(password, salt, COST, KEY_BYTES);
  const hash = `$scrypt$ln=14,r=8,p=5$${unpadded(salt)}$${unpadded(key)}`;
  return tagHash({ hash }, { importId: newId(), firebase: null });
}
