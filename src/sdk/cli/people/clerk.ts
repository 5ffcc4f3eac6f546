/** Clerk: the CSV that its dashboard exports, and the JSON of its API, its command line and its support. */
import { hashOfClerk } from "./clerk-hash";
import { addressIn, converterOf, type ImportedPerson, type LeaveOut } from "./converter";
import { type Fields, isRecord, recordsIn } from "./fields";
import { isTaken } from "./password";
import { createdAtOf, identityOf, idOf, isTrue, nameOf, restricts, someOf, totpOf } from "./values";

const ADDRESS = ["primary_email_address", "email_address", "email_addresses", "email"];

export const clerk = converterOf({
  address: ADDRESS,
  proof: ["verified_email_addresses", "email_addresses"],
  convert: (user, leaveOut) => {
    const { email, isVerified } = addressOf(user, leaveOut);
    if (email === undefined) return undefined;
    const totp = totpOf(user.get("totp_secret"), leaveOut);
    if (!totp && isTrue(user.get("two_factor_enabled", "totp_enabled"))) leaveOut("second factors");
    for (const _ of recordsIn(user.get("passkeys"))) leaveOut("passkeys");
    return {
      email,
      emailVerified: isVerified,
      externalId: idOf(user.text("id", "user_id"), leaveOut),
      name: nameOf([user.text("first_name"), user.text("last_name")], leaveOut),
      createdAt: createdAtOf(user.get("created_at"), leaveOut),
      suspended: restricts(user.get("banned")) ? true : undefined,
      password: passwordOf(user, leaveOut),
      totp,
      identities: someOf(identitiesOf(user, leaveOut)),
    };
  },
});

const listOf = (text: string | undefined): string[] =>
  (text ?? "")
    .toLowerCase()
    .split(/[\s,;|"[\]]+/)
    .filter(Boolean);

function addressOf(user: Fields, leaveOut: LeaveOut) {
  const addresses = recordsIn(user.get("email_addresses"));
  const primary = addresses.find((one) => one.text("id") === user.text("primary_email_address_id")) ?? addresses[0];
  if (primary) {
    const verification = primary.get("verification");
    const isVerified = isRecord(verification) && verification.status === "verified";
    return { email: addressIn(primary, ["email_address"], leaveOut), isVerified };
  }
  const named = user.text("primary_email_address", "email_address", "email");
  const email = named ?? listOf(user.text("email_addresses"))[0];
  if (email === undefined) leaveOut("people without an address");
  return { email, isVerified: listOf(user.text("verified_email_addresses")).includes(email?.toLowerCase() ?? "") };
}

function passwordOf(user: Fields, leaveOut: LeaveOut): ImportedPerson["password"] {
  const digest = user.text("password_digest");
  if (digest === undefined) {
    if (isTrue(user.get("password_enabled"))) leaveOut("passwords that were not given");
    return undefined;
  }
  const hasher = user.text("password_hasher") ?? "bcrypt";
  const hash = hashOfClerk(hasher, digest);
  if (hash !== undefined && isTaken(hash)) return { hash };
  leaveOut(`passwords hashed with ${hasher}`);
  return undefined;
}

const identitiesOf = (user: Fields, leaveOut: LeaveOut) =>
  recordsIn(user.get("external_accounts")).flatMap((one) => {
    const [provider, subject] = [one.text("provider"), one.text("provider_user_id")];
    return identityOf({ provider, subject, email: one.text("email_address") }, leaveOut);
  });
