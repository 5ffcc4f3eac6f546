/** argon2 in PHC form. */
import { argon2d, argon2i, argon2id } from "@noble/hashes/argon2.js";
import { computeTagOnce } from "../../../base/crypto/argon2id";
import { utf8 } from "../../../base/crypto/encoding";
import { areEqual, bytesWithin, HashBeyondBounds, type HashReader, within } from "./hash";

const FORM = /^\$(argon2(?:id|i|d))\$v=(\d{1,3})\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([^$]+)\$([^$]+)$/;
const VERSION = "19";
/** 128 MiB. Frameworks have defaults of up to 100 MiB. */
const MAX_MEMORY_KIB = 131_072;
/** Memory in KiB times passes: the time that it takes. */
const MAX_WORK = 262_144;
/** The WebAssembly refuses shorter passwords. */
const MIN_WASM_PASSWORD_BYTES = 8;

const SLOW = { argon2i, argon2d, argon2id } as const;

/** argon2id, argon2i and argon2d of version 19. */
export const readArgon2: HashReader = (hash) => {
  const [, variant, version, memory, time, lanes, saltText = "", tagText = ""] = hash.match(FORM) ?? [];
  if (variant !== "argon2id" && variant !== "argon2i" && variant !== "argon2d") return null;
  if (version !== VERSION) throw new HashBeyondBounds("password.hash: the version of argon2 must be 19");
  const parallelism = within("p of argon2", Number(lanes), 1, 8);
  const memorySize = within("m of argon2", Number(memory), 8, MAX_MEMORY_KIB);
  const passes = within("t of argon2", Number(time), 1, 10);
  within("m·t of argon2", memorySize * passes, 8, MAX_WORK);
  if (memorySize < 8 * parallelism) throw new HashBeyondBounds("password.hash: m of argon2 must be at least 8·p");
  const salt = bytesWithin("the salt", saltText, 8, 64);
  const expected = bytesWithin("the tag", tagText, 16, 64);
  const tagLength = expected.length;
  const matches = async (text: string): Promise<boolean> => {
    const password = utf8(text);
    if (variant === "argon2id" && password.length >= MIN_WASM_PASSWORD_BYTES) {
      return areEqual(await computeTagOnce({ password, salt, parallelism, passes, memorySize, tagLength }), expected);
    }
    const options = { t: passes, m: memorySize, p: parallelism, dkLen: tagLength };
    return areEqual(SLOW[variant](password, salt, options), expected);
  };
  return { matches };
};
