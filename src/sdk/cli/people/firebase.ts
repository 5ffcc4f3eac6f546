/** Firebase: what `firebase auth:export people.json` writes. */
import { addressIn, type Converter, identityOf, isRecord, recordsIn, textIn, timeOf } from "./converter";
import { wholeJson } from "./json";

export const firebase: Converter = function* (text, leaveOut) {
  const exported = wholeJson(text);
  for (const user of recordsIn(isRecord(exported) ? exported.users : exported)) {
    const email = addressIn(user, "email", leaveOut);
    if (email === undefined) continue;
    const [hash, salt] = [textIn(user, "passwordHash"), textIn(user, "salt")];
    const identities = recordsIn(user.providerUserInfo)
      .filter(({ providerId }) => providerId !== "password")
      .flatMap((one) => {
        const identity = { provider: String(one.providerId), subject: one.rawId, email: textIn(one, "email") };
        return identityOf(identity, leaveOut) ?? [];
      });
    yield {
      email,
      emailVerified: user.emailVerified === true,
      externalId: textIn(user, "localId"),
      name: textIn(user, "displayName"),
      createdAt: timeOf(user.createdAt),
      suspended: user.disabled === true ? true : undefined,
      password: hash === undefined || salt === undefined ? undefined : { kind: "firebase-scrypt", hash, salt },
      identities: identities.length === 0 ? undefined : identities,
    };
  }
};
