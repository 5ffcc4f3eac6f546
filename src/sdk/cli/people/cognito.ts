/** Amazon Cognito: a CSV of its users, or what its `list-users` answers. Cognito gives nobody its hashes. */
import { addressIn, converterOf, type LeaveOut } from "./converter";
import { Fields, recordsIn } from "./fields";
import { recordsOf, wholeJson } from "./records";
import { createdAtOf, identityOf, idOf, isTrue, nameOf, restricts, someOf } from "./values";

/** Of people who may sign in, though some must do something first. */
const ACTIVE = ["CONFIRMED", "UNCONFIRMED", "EXTERNAL_PROVIDER", "RESET_REQUIRED", "FORCE_CHANGE_PASSWORD"];

export const cognito = converterOf({
  address: ["email"],
  proof: ["email_verified"],
  read: function* (text) {
    for (const user of recordsOf(text)) yield withAttributes(user);
  },
  convert: (user, leaveOut) => {
    const email = addressIn(user, ["email"], leaveOut);
    if (email === undefined) return undefined;
    const status = user.text("UserStatus", "cognito:user_status", "status")?.toUpperCase();
    const name = user.text("name");
    const isUnconfirmed = status === "UNCONFIRMED";
    const isVerified = isTrue(user.get("email_verified"));
    // Cognito lets nobody in who has not confirmed, so they verify here, too.
    if (isUnconfirmed && isVerified) leaveOut("proofs of addresses of unconfirmed people");
    if (hasSecondFactor(user)) leaveOut("second factors");
    return {
      email,
      emailVerified: isVerified && !isUnconfirmed,
      externalId: idOf(user.text("sub", "cognito:username", "Username"), leaveOut),
      name: nameOf(name === undefined ? [user.text("given_name"), user.text("family_name")] : [name], leaveOut),
      createdAt: createdAtOf(user.get("UserCreateDate", "cognito:user_create_date", "created_at"), leaveOut),
      suspended: isDisabled(user) || (status !== undefined && !ACTIVE.includes(status)) ? true : undefined,
      identities: someOf(identitiesOf(user, leaveOut)),
    };
  },
});

/** In answers of the API, attributes are a list of names and values. */
function withAttributes(user: Fields): Fields {
  const attributes = recordsIn(user.get("Attributes", "UserAttributes"));
  if (attributes.length === 0) return user;
  const entries = attributes.map((one) => [one.text("Name") ?? "", one.get("Value")] as const);
  return new Fields({ ...user.record, ...Object.fromEntries(entries) });
}

const isDisabled = (user: Fields): boolean =>
  user.get("Enabled") !== undefined &&
  !isTrue(user.get("Enabled")) &&
  user.text("Enabled")?.toLowerCase() !== "enabled";

const hasSecondFactor = (user: Fields): boolean =>
  restricts(user.get("cognito:mfa_enabled")) || recordsIn(user.get("MFAOptions")).length > 0;

/** The attribute `identities` is a list as JSON. */
function identitiesOf(user: Fields, leaveOut: LeaveOut) {
  const text = user.text("identities");
  const list = text?.startsWith("[") ? parsedOrNone(text) : [];
  return recordsIn(list).flatMap((one) => {
    const [provider, subject] = [one.text("providerName"), one.text("userId")];
    return identityOf({ provider, subject, email: undefined }, leaveOut);
  });
}

function parsedOrNone(text: string): unknown {
  try {
    return wholeJson(text);
  } catch {
    return [];
  }
}
