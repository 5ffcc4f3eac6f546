/** A new secret in the form that the service accepts. */
import { randomBytes } from "node:crypto";
import { isGuessableKey } from "../src/base/crypto/guessable-key.ts";

/** Returns 64 random hex digits. The service refuses about one such key in 10,000, because it looks guessable. */
export function newSecretKey(): string {
  const key = randomBytes(32).toString("hex");
  return isGuessableKey(key) ? newSecretKey() : key;
}
