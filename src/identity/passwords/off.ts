/** Services without passwords. */
import type { Config } from "../../platform/config";
import { AppError } from "../../platform/errors";

/** Throws FORBIDDEN where PASSWORDS is `off`. Call it before a password is hashed. */
export function requirePasswords({ passwords }: Pick<Config, "passwords">): void {
  if (passwords === "off") throw new AppError("FORBIDDEN", { message: "Passwords are off." });
}
