/** Amazon Cognito: a CSV of its users. Cognito gives nobody its hashes. */
import { addressIn, type Converter, nameOf, textIn } from "./converter";
import { readCsv } from "./csv";

export const cognito: Converter = function* (text, leaveOut) {
  for (const user of readCsv(text)) {
    const email = addressIn(user, "email", leaveOut);
    if (email === undefined) continue;
    yield {
      email,
      emailVerified: user.email_verified?.toLowerCase() === "true",
      externalId: textIn(user, "sub") ?? textIn(user, "cognito:username"),
      name: textIn(user, "name") ?? nameOf(textIn(user, "given_name"), textIn(user, "family_name")),
    };
  }
};
