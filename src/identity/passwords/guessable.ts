/** Passwords that attackers try first (OWASP ASVS 6.2.4): the most common ones, and the user's own email. */
import type { Deps } from "../../base/deps";
import { invalidField } from "../../base/errors";
import { isCommon } from "./common";

/** Throws VALIDATION_FAILED with a detail for `field` if the password is guessable and such passwords are refused. */
export async function refuseGuessable(
  deps: Pick<Deps, "config" | "assets" | "background">,
  field: "password" | "newPassword",
  password: string,
  email?: string,
): Promise<void> {
  if (deps.config.commonPasswords === "allow") return;
  const folded = password.normalize("NFKC").toLowerCase();
  if (await isCommon(deps, folded)) refuse(field, "Is one of the most common passwords");
  if (email !== undefined && (folded === email || folded === email.split("@")[0])) {
    refuse(field, "Must not be the email address");
  }
}

function refuse(path: string, message: string): never {
  throw invalidField(path, message);
}
