/** TOTP (RFC 6238: SHA-1, 6 digits, 30 s, one step of drift each way) and recovery codes of 80 random bits. */
import { hmac } from "@noble/hashes/hmac.js";
import { sha1 } from "@noble/hashes/legacy.js";
// The whole package brings every hash, which would be a hundredth of the Worker.
import { Secret, TOTP } from "otpauth/bare";
import { randomBytes, sha256Hex } from "../../base/crypto/encoding";
import { decrypt, encrypt } from "../../base/crypto/encryption";
import type { Deps } from "../../base/deps";
import { unavailable } from "../../base/errors";
import { describeError, log } from "../../base/log/log";
import { typedCode } from "../../base/typed-code";
import type { Factor, StoredTotpSecret } from "./store";

const PERIOD_SECONDS = 30;
const DRIFT_STEPS = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODE_BYTES = 10;
const RECOVERY_CODES = 10;
const TOTP_FORM = /^\d{6}$/;
const RECOVERY_FORM = /^[A-Z2-7]{16}$/;

/** The associated data that binds an encrypted TOTP secret to its user. */
export const totpOwner = (userId: string) => `totp:${userId}`;
const totp = (secret: string, label = "", issuer = "") =>
  new TOTP({
    issuer,
    label,
    secret: Secret.fromBase32(secret),
    algorithm: "SHA1",
    hmac: (_, key, message) => hmac(sha1, key, message),
    digits: 6,
    period: PERIOD_SECONDS,
  });

/** Returns a new secret, both in base32 and encrypted for the user's row. */
export async function newTotpSecret(deps: Deps, userId: string): Promise<{ secret: string; secretEncrypted: string }> {
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  return { secret, secretEncrypted: await encrypt(deps.keys, totpOwner(userId), secret) };
}

/** Decrypts the secret of a user; null when no key in `SECRET_KEYS` opens it. */
export async function readTotpSecret(deps: Deps, userId: string, secretEncrypted: string): Promise<string | null> {
  try {
    return await decrypt(deps.keys, totpOwner(userId), secretEncrypted);
  } catch (error) {
    log("error", "second factor not readable", { userId, ...describeError(error) });
    return null;
  }
}

/**
 * The `otpauth://` URI that authenticator apps read as a QR code. They show the name of the brand. A colon would
 * end it: the Key URI Format forbids one in either part.
 */
export const enrolmentUri = ({ config }: Pick<Deps, "config">, secret: string, email: string): string =>
  totp(secret, email, config.brand.name.replaceAll(/\s*:\s*/g, " ").trim() || "Postern").toString();

/**
 * Returns the time step of a code that is right at present; null for a wrong code. Throws SERVICE_UNAVAILABLE when no
 * key opens the secret.
 */
export async function stepOf(
  deps: Deps,
  userId: string,
  secretEncrypted: string,
  code: string,
): Promise<number | null> {
  const token = typedCode(code);
  if (!TOTP_FORM.test(token)) return null;
  const timestamp = deps.now();
  const secret = await readTotpSecret(deps, userId, secretEncrypted);
  if (secret === null) throw unavailable({});
  const delta = totp(secret).validate({ token, timestamp, window: DRIFT_STEPS });
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
}

/**
 * Reads a code: a TOTP that is right at present, or text in the form of a recovery code, which only D1 can check. Null
 * if it is wrong.
 */
export async function readFactor(
  deps: Deps,
  userId: string,
  { totpEnrolmentId: enrolmentId, totpSecretEncrypted }: StoredTotpSecret,
  code: string,
): Promise<Factor | null> {
  const compact = typedCode(code).toUpperCase();
  if (RECOVERY_FORM.test(compact)) return { kind: "recovery", codeHash: await sha256Hex(compact) };
  const step = await stepOf(deps, userId, totpSecretEncrypted, code);
  return step === null ? null : { kind: "totp", enrolmentId, step };
}

/** Ten new codes, grouped for reading, and the hashes to store. */
export async function newRecoveryCodes(): Promise<{ codes: string[]; hashes: string[] }> {
  const compact = Array.from(
    { length: RECOVERY_CODES },
    () => new Secret({ buffer: randomBytes(RECOVERY_CODE_BYTES).buffer }).base32,
  );
  const codes = compact.map((code) => code.match(/.{4}/g)?.join("-") ?? code);
  return { codes, hashes: await Promise.all(compact.map(sha256Hex)) };
}
