/** Auth0: the export of users, or that of password hashes, which its support sends. Both are NDJSON. */
import { addressIn, type Converter, type Exported, identityOf, isRecord, recordsIn, textIn, timeOf } from "./converter";
import { readNdjson } from "./ndjson";

export const auth0: Converter = function* (text, leaveOut) {
  for (const user of readNdjson(text)) {
    const { email, emailVerified } = addressOf(user, leaveOut);
    if (email === undefined) continue;
    const hash = textIn(user, "passwordHash");
    const identities = recordsIn(user.identities)
      .filter(({ provider }) => provider !== "auth0")
      .flatMap((one) => identityOf({ provider: String(one.provider), subject: one.user_id }, leaveOut) ?? []);
    yield {
      email,
      emailVerified,
      externalId: idOf(user),
      name: textIn(user, "name") === email ? undefined : textIn(user, "name"),
      createdAt: timeOf(user.created_at),
      suspended: user.blocked === true ? true : undefined,
      password: hash === undefined ? undefined : { hash },
      identities: identities.length === 0 ? undefined : identities,
    };
  }
};

function addressOf(user: Exported, leaveOut: (what: string) => void) {
  const identifier = recordsIn(user.identifiers).find(({ type }) => type === "email");
  if (textIn(user, "email") === undefined && identifier) {
    return { email: addressIn(identifier, "value", leaveOut), emailVerified: identifier.verified === true };
  }
  return { email: addressIn(user, "email", leaveOut), emailVerified: user.email_verified === true };
}

/** The id that tokens of Auth0 have. */
function idOf(user: Exported): string | undefined {
  const id = textIn(user, "user_id");
  if (id !== undefined) return id;
  const inDatabase = isRecord(user._id) ? textIn(user._id, "$oid") : textIn(user, "_id");
  const stored = textIn(user, "alt_id") ?? inDatabase;
  return stored === undefined ? undefined : `auth0|${stored}`;
}
