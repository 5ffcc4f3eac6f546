/** Clerk: the CSV that its dashboard exports. */
import { hashOfClerk } from "./clerk-hash";
import { addressIn, type Converter, nameOf, textIn, timeOf } from "./converter";
import { readCsv } from "./csv";

export const clerk: Converter = function* (text, leaveOut) {
  for (const user of readCsv(text)) {
    const email = addressIn(user, "primary_email_address", leaveOut);
    if (email === undefined) continue;
    const digest = textIn(user, "password_digest");
    const hasher = textIn(user, "password_hasher") ?? "bcrypt";
    const hash = digest === undefined ? undefined : hashOfClerk(hasher, digest);
    if (digest !== undefined && hash === undefined) leaveOut(`passwords hashed with ${hasher}`);
    const secret = textIn(user, "totp_secret");
    const verified = (user.verified_email_addresses ?? "").toLowerCase().split(/[\s,;|"[\]]+/);
    yield {
      email,
      emailVerified: verified.includes(email.toLowerCase()),
      externalId: textIn(user, "id"),
      name: nameOf(textIn(user, "first_name"), textIn(user, "last_name")),
      createdAt: timeOf(user.created_at),
      password: hash === undefined ? undefined : { hash },
      totp: secret === undefined ? undefined : { secret },
    };
  }
};
