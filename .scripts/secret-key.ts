/** A new secret in the form that the service accepts. */
import { randomBytes } from "node:crypto";
import { isGuessableKey } from "../src/platform/crypto/guessable-key.ts";

/** Returns 64 random hex digits. About one key in 10,000 looks guessable to the service, so that one is not returned. */
export function newSecretKey(): string {
  const key = randomBytes(32).toString("hex");
  return isGuessableKey(key) ? newSecretKey() : key;
}
