/** The messages about what is encrypted under the entries of `SECRET_KEYS`. */
import type { LogLine } from "./log-levels";

export const KEY_LOG_LINES = {
  "no secret is encrypted under an old key": {
    level: "info",
    meaning: "After a rotation, every secret of the database `shard` is encrypted with the newest key.",
    advice: "When each database has this line, [continue the rotation](#key-rotation).",
  },
  "second factor not readable": {
    level: "error",
    meaning: "No key in `SECRET_KEYS` opens the TOTP secret of this user, who is answered 503.",
    advice: "[Put the key back](#key-rotation), or send the user a mail that removes the second factor.",
  },
  "secrets encrypted under an unknown key": {
    level: "error",
    meaning: "`count` rows of `table` cannot be decrypted.",
    advice: "[Put the key back](#key-rotation).",
  },
  "RSA key not readable": {
    level: "error",
    meaning:
      "The key in `SECRET_KEYS` that has encrypted an RSA key of the signers does not open it, so nothing is signed " +
      "or verified with it; `finding` is its `kid`.",
    advice:
      "Restore its row of `token_signers`, or put a new key in front of `SECRET_KEYS`, which gets an RSA key of its " +
      "own.",
  },
} as const satisfies Record<string, LogLine>;
