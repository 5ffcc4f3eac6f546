/** Clerk: the CSV that its dashboard exports. */
import { addressIn, type Converter, nameOf, textIn, timeOf } from "./converter";
import { readCsv } from "./csv";

/** Hashes of these have a form that the service knows. */
const TAKEN = /^(bcrypt(_sha256_django)?|argon2(id|i|d)|pbkdf2_sha256_django)$/;

export const clerk: Converter = function* (text, leaveOut) {
  for (const user of readCsv(text)) {
    const email = addressIn(user, "primary_email_address", leaveOut);
    if (email === undefined) continue;
    const hash = textIn(user, "password_digest");
    const hasher = textIn(user, "password_hasher") ?? "bcrypt";
    const isTaken = TAKEN.test(hasher);
    if (hash !== undefined && !isTaken) leaveOut(`passwords hashed with ${hasher}`);
    const secret = textIn(user, "totp_secret");
    const verified = (user.verified_email_addresses ?? "").toLowerCase().split(/[\s,;|"[\]]+/);
    yield {
      email,
      emailVerified: verified.includes(email.toLowerCase()),
      externalId: textIn(user, "id"),
      name: nameOf(textIn(user, "first_name"), textIn(user, "last_name")),
      createdAt: timeOf(user.created_at),
      password: hash !== undefined && isTaken ? { hash } : undefined,
      totp: secret === undefined ? undefined : { secret },
    };
  }
};
