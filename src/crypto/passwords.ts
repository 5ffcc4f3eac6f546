/** argon2id with OWASP's minimum parameters (19 MiB, 2 passes, 1 lane), stored as PHC strings. */

import withoutSimd from "argon2id/dist/no-simd.wasm";
import withSimd from "argon2id/dist/simd.wasm";
import setupWasm from "argon2id/lib/setup.js";
import { fromBase64, randomBytes, toBase64, utf8 } from "./encoding";

const PARAMETERS = { memoryKiB: 19_456, passes: 2, lanes: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** One WebAssembly instance per isolate; its memory grows once and is reused. */
let hasher: ReturnType<typeof setupWasm> | undefined;

async function derive(password: string, salt: Uint8Array, parameters: typeof PARAMETERS): Promise<Uint8Array> {
  hasher ??= setupWasm(
    async (imports) => ({ instance: await WebAssembly.instantiate(withSimd, imports), module: withSimd }),
    async (imports) => ({ instance: await WebAssembly.instantiate(withoutSimd, imports), module: withoutSimd }),
  );
  const argon2id = await hasher;
  return argon2id({
    password: utf8(password.normalize("NFKC")),
    salt,
    parallelism: parameters.lanes,
    passes: parameters.passes,
    memorySize: parameters.memoryKiB,
    tagLength: TAG_BYTES,
  });
}

const unpadded = (bytes: Uint8Array) => toBase64(bytes).replaceAll("=", "");

/** Hashes a password to a PHC string (`$argon2id$v=19$m=...`). Takes about 40 ms of CPU: rate-limit before calling. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(password, salt, PARAMETERS);
  const { memoryKiB, passes, lanes } = PARAMETERS;
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}$${unpadded(salt)}$${unpadded(tag)}`;
}

/**
 * Checks a password against a PHC string. `null` (no such user) costs the same work and is never correct.
 * `outdated`: the hash has other parameters and should be replaced.
 */
export async function verifyPassword(
  password: string,
  phc: string | null,
): Promise<{ correct: boolean; outdated: boolean }> {
  const [, memory, passes, lanes, salt, tag] = phc?.match(PHC) ?? [];
  if (!memory || !passes || !lanes || !salt || !tag) {
    await derive(password, new Uint8Array(SALT_BYTES), PARAMETERS);
    return { correct: false, outdated: false };
  }
  const parameters = { memoryKiB: Number(memory), passes: Number(passes), lanes: Number(lanes) };
  const expected = fromBase64(tag);
  const actual = await derive(password, fromBase64(salt), parameters);
  const correct = actual.length === expected.length && crypto.subtle.timingSafeEqual(actual, expected);
  const outdated =
    parameters.memoryKiB !== PARAMETERS.memoryKiB ||
    parameters.passes !== PARAMETERS.passes ||
    parameters.lanes !== PARAMETERS.lanes;
  return { correct, outdated };
}
