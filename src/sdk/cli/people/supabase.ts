/** Supabase: the table `auth.users`, as CSV or as JSON. */
import { addressIn, type Converter, type Exported, isRecord, nameOf, recordsIn, textIn, timeOf } from "./converter";
import { readCsv } from "./csv";
import { wholeJson } from "./json";

export const supabase: Converter = function* (text, leaveOut) {
  const users: Iterable<Exported> = /^\s*[[{]/.test(text) ? recordsIn(wholeJson(text)) : readCsv(text);
  for (const user of users) {
    const email = addressIn(user, "email", leaveOut);
    if (email === undefined) continue;
    if (textIn(user, "deleted_at") !== undefined) {
      leaveOut("deleted people");
      continue;
    }
    const hash = textIn(user, "encrypted_password");
    const bannedUntil = timeOf(user.banned_until);
    yield {
      email,
      emailVerified: textIn(user, "email_confirmed_at") !== undefined,
      externalId: textIn(user, "id"),
      name: nameIn(user.raw_user_meta_data),
      createdAt: timeOf(user.created_at),
      suspended: bannedUntil !== undefined && Date.parse(bannedUntil) > Date.now() ? true : undefined,
      password: hash === undefined ? undefined : { hash },
    };
  }
};

/** The name in the metadata, which CSV has as JSON. */
function nameIn(given: unknown): string | undefined {
  const metadata = typeof given === "string" && given.startsWith("{") ? wholeJson(given) : given;
  return isRecord(metadata) ? nameOf(textIn(metadata, "full_name") ?? textIn(metadata, "name")) : undefined;
}
