/** argon2id with OWASP's minimum parameters (19 MiB, 2 passes, 1 lane), stored as PHC strings. */
import { computeTag } from "./argon2id";
import { fromBase64, randomBytes, toBase64, utf8 } from "./encoding";

const PARAMETERS = { memoryKiB: 19_456, passes: 2, lanes: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** The library refuses shorter passwords. No password that was set here is shorter: it has 8 characters at least. */
const MIN_PASSWORD_BYTES = 8;

const derive = (password: Uint8Array, salt: Uint8Array, parameters: typeof PARAMETERS): Promise<Uint8Array> =>
  computeTag({
    password,
    salt,
    parallelism: parameters.lanes,
    passes: parameters.passes,
    memorySize: parameters.memoryKiB,
    tagLength: TAG_BYTES,
  });

const bytesOf = (password: string): Uint8Array => utf8(password.normalize("NFKC"));

const unpadded = (bytes: Uint8Array) => toBase64(bytes).replaceAll("=", "");

/** Hashes a password to a PHC string (`$argon2id$v=19$m=...`). Takes about 40 ms of CPU: rate-limit before calling. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(bytesOf(password), salt, PARAMETERS);
  const { memoryKiB, passes, lanes } = PARAMETERS;
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${lanes}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Whether `hashPassword` takes the password. */
export const hasBytesToHash = (password: string): boolean => bytesOf(password).length >= MIN_PASSWORD_BYTES;

/**
 * Checks a password against a PHC string. `null` (no such user) costs the same work and is never correct.
 * `outdated`: the hash has other parameters and should be replaced.
 */
export async function verifyPassword(
  password: string,
  phc: string | null,
): Promise<{ correct: boolean; outdated: boolean }> {
  const [, memory, passes, lanes, salt, tag] = phc?.match(PHC) ?? [];
  const given = bytesOf(password);
  if (!memory || !passes || !lanes || !salt || !tag || given.length < MIN_PASSWORD_BYTES) {
    await derive(new Uint8Array(MIN_PASSWORD_BYTES), new Uint8Array(SALT_BYTES), PARAMETERS);
    return { correct: false, outdated: false };
  }
  const parameters = { memoryKiB: Number(memory), passes: Number(passes), lanes: Number(lanes) };
  const expected = fromBase64(tag);
  const actual = await derive(given, fromBase64(salt), parameters);
  const correct = actual.length === expected.length && crypto.subtle.timingSafeEqual(actual, expected);
  const outdated =
    parameters.memoryKiB !== PARAMETERS.memoryKiB ||
    parameters.passes !== PARAMETERS.passes ||
    parameters.lanes !== PARAMETERS.lanes;
  return { correct, outdated };
}
