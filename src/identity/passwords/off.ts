/** Services without passwords. */
import type { Config } from "../../base/config/config";
import { AppError } from "../../base/errors";

/** Throws FORBIDDEN where PASSWORDS is `off`. Call it before a password is hashed. */
export function requirePasswords({ passwords }: Pick<Config, "passwords">): void {
  if (passwords === "off") throw new AppError("FORBIDDEN", { message: "Passwords are off." });
}

/** Whether a mail to the address opens its account: with a link that resets the password, or with a code. */
export const opensByMail = ({ passwords, mailCode }: Pick<Config, "passwords" | "mailCode">): boolean =>
  passwords === "on" || mailCode === "on";
