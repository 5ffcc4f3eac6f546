/** Keeps every secret that a test sends or receives, by the name of its field, to search for it afterwards. */
import type { SentMail } from "./mailbox";
import { tokenIn } from "./mailbox";

const SECRET_FIELD =
  /^((new|current)?password|(access|refresh|invitation)?token|totp|secret|key|qrCodeUri|recoveryCodes)$/i;
/** A code is shorter than any other secret, and all digits. Only as a separate word is it certainly the code. */
const TOTP_CODE = /^\d{6}$/;

export function secretKeeper() {
  const secrets = new Set<string>();
  const keepFields = (value: unknown, name = ""): void => {
    if (typeof value === "string") {
      if (SECRET_FIELD.test(name) && value !== "") secrets.add(value);
    } else if (Array.isArray(value)) {
      for (const item of value) keepFields(item, name);
    } else if (value !== null && typeof value === "object") {
      for (const [key, item] of Object.entries(value)) keepFields(item, key);
    }
  };
  return {
    secrets,
    /** Keeps the fields of a body that hold secrets. */
    keepFields,
    keep<T extends string | undefined>(secret: T): T {
      if (secret) secrets.add(secret);
      return secret;
    },
    keepTokenOf(mail: SentMail): string {
      secrets.add(tokenIn(mail));
      return tokenIn(mail);
    },
    /** The kept secrets that occur in `text`. */
    foundIn: (text: string) =>
      [...secrets].filter((secret) =>
        TOTP_CODE.test(secret) ? new RegExp(`(?<![\\w-])${secret}(?![\\w-])`).test(text) : text.includes(secret),
      ),
  };
}
