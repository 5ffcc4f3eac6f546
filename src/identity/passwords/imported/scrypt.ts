/** scrypt in PHC form, and as better-auth stores it. */
import { scrypt } from "node:crypto";
import { utf8 } from "../../../base/crypto/encoding";
import { areEqual, bytesWithin, type HashReader, HashRefused, within } from "./hash";

export interface ScryptCost {
  N: number;
  r: number;
  p: number;
}

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,7}),p=(\d{1,7})\$([^$]+)\$([^$]+)$/;
/** What workerd computes at most. */
const MAX_WORK = 2 ** 20;
/** N·r, of 128 bytes each: 64 MiB. */
const MAX_BLOCKS = 2 ** 19;
/** Above what the largest cost needs: 128·r·(N + p) bytes and some more. */
const MAX_MEMORY_BYTES = 144 * 2 ** 20;

/** The key of a password. Throws what the platform throws for a cost that it refuses. */
export const deriveScrypt = (password: string, salt: Uint8Array, cost: ScryptCost, length: number) =>
  new Promise<Uint8Array>((resolve, reject) => {
    const options = { ...cost, maxmem: MAX_MEMORY_BYTES };
    scrypt(utf8(password), salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });

/** `$scrypt$ln=…,r=…,p=…$salt$tag`, where N is 2^ln. */
export const readScrypt: HashReader = (hash) => {
  const [, logN, blockSize, lanes, saltText, tagText] = hash.match(FORM) ?? [];
  if (!logN || !blockSize || !lanes || !saltText || !tagText) return null;
  const cost = { N: 2 ** within("ln of scrypt", Number(logN), 1, 20), r: Number(blockSize), p: Number(lanes) };
  within("N·r of scrypt", cost.N * cost.r, 2, MAX_BLOCKS);
  within("N·r·p of scrypt", cost.N * cost.r * cost.p, 2, MAX_WORK);
  const salt = bytesWithin("the salt", saltText, 8, 64);
  const expected = bytesWithin("the tag", tagText, 16, 64);
  return {
    matches: async (password) => areEqual(await deriveScrypt(password, salt, cost, expected.length), expected),
  };
};

const BETTER_AUTH = /^([0-9a-f]{32}):([0-9a-f]+)$/i;
const BETTER_AUTH_COST = { N: 2 ** 14, r: 16, p: 1 };
const BETTER_AUTH_KEY_BYTES = 64;

/** `salt:key` in hex. The salt is the text itself, and the password is normalised first. */
export const readBetterAuth: HashReader = (hash) => {
  const [, salt, key] = hash.match(BETTER_AUTH) ?? [];
  if (!salt || !key) return null;
  if (key.length !== 2 * BETTER_AUTH_KEY_BYTES) throw new HashRefused("password.hash: the key must be 64 bytes");
  const expected = Uint8Array.from(key.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  const derive = (text: string) =>
    deriveScrypt(text.normalize("NFKC"), utf8(salt), BETTER_AUTH_COST, BETTER_AUTH_KEY_BYTES);
  return { matches: async (password) => areEqual(await derive(password), expected) };
};
