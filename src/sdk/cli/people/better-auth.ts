/** better-auth: its tables `user` and `account` as `{ "user": […], "account": […] }`. */
import { addressIn, type Converter, type Exported, identityOf, isRecord, recordsIn, textIn, timeOf } from "./converter";
import { wholeJson } from "./json";

export const betterAuth: Converter = function* (text, leaveOut) {
  const exported = wholeJson(text);
  const tables: Exported = isRecord(exported) ? exported : {};
  const accounts = Map.groupBy(recordsIn(tables.account), ({ userId }) => userId);
  for (const user of recordsIn(tables.user)) {
    const email = addressIn(user, "email", leaveOut);
    if (email === undefined) continue;
    const own = accounts.get(user.id) ?? [];
    const credential = own.find(({ providerId }) => providerId === "credential");
    const hash = credential && textIn(credential, "password");
    const identities = own
      .filter(({ providerId }) => providerId !== "credential")
      .flatMap((one) => identityOf({ provider: String(one.providerId), subject: one.accountId }, leaveOut) ?? []);
    yield {
      email,
      emailVerified: user.emailVerified === true || user.emailVerified === 1,
      externalId: textIn(user, "id"),
      name: textIn(user, "name"),
      createdAt: timeOf(user.createdAt),
      suspended: user.banned === true || user.banned === 1 ? true : undefined,
      password: hash === undefined ? undefined : { hash },
      identities: identities.length === 0 ? undefined : identities,
    };
  }
};
