/** Auth0: exports of users by its jobs, its extension or its API, and the password hashes that its support sends. */
import { addressIn, converterOf, type LeaveOut } from "./converter";
import { readCsv } from "./csv";
import { Fields, isRecord, recordsIn, textOf } from "./fields";
import { passwordOf } from "./password";
import { isJson, recordsOf } from "./records";
import { createdAtOf, identityOf, idOf, isTrue, nameOf, restricts, someOf } from "./values";

export const auth0 = converterOf({
  address: ["email", "identifiers"],
  proof: ["email_verified", "identifiers"],
  read: (text) => (isJson(text) ? recordsOf(text) : readQuotedCsv(text)),
  convert: (user, leaveOut) => {
    const { email, emailVerified } = addressOf(user, leaveOut);
    if (email === undefined) return undefined;
    const id = ownId(user);
    const name = user.text("name");
    const isNamed = name !== undefined && name !== email;
    if (hasSecondFactor(user)) leaveOut("second factors");
    return {
      email,
      emailVerified,
      externalId: idOf(id, leaveOut),
      name: nameOf(isNamed ? [name] : [user.text("given_name"), user.text("family_name")], leaveOut),
      createdAt: createdAtOf(user.get("created_at"), leaveOut),
      suspended: restricts(user.get("blocked")) ? true : undefined,
      password: passwordOf(user.get("passwordHash") ?? customHashOf(user), leaveOut),
      identities: someOf(identitiesOf(user, id, leaveOut)),
    };
  },
});

/** In CSV, Auth0 writes an apostrophe before each text, so that spreadsheets take none for a formula. */
function* readQuotedCsv(text: string): Generator<Fields> {
  for (const record of readCsv(text)) {
    const entries = Object.entries(record).map(([name, value]) => [bare(name), value && bare(value)]);
    yield new Fields(Object.fromEntries(entries));
  }
}

const bare = (text: string): string => text.replace(/^'/, "");

function addressOf(user: Fields, leaveOut: LeaveOut) {
  const identifier = recordsIn(user.get("identifiers")).find((one) => one.text("type") === "email");
  if (user.text("email") === undefined && identifier) {
    return { email: addressIn(identifier, ["value"], leaveOut), emailVerified: isTrue(identifier.get("verified")) };
  }
  return { email: addressIn(user, ["email"], leaveOut), emailVerified: isTrue(user.get("email_verified")) };
}

/** The id that tokens of Auth0 have. */
function ownId(user: Fields): string | undefined {
  const id = user.get("_id");
  const stored = user.text("user_id", "alt_id") ?? (isRecord(id) ? textOf(id.$oid) : textOf(id));
  return stored === undefined || stored.includes("|") ? stored : `auth0|${stored}`;
}

/** The hash of somebody who was imported into Auth0. */
function customHashOf(user: Fields): unknown {
  const custom = user.get("custom_password_hash");
  const hash = isRecord(custom) ? custom.hash : custom;
  return isRecord(hash) ? hash.value : hash;
}

function hasSecondFactor(user: Fields): boolean {
  const factors = user.get("multifactor", "mfa_factors");
  return Array.isArray(factors) ? factors.length > 0 : restricts(factors);
}

/** Connections whose sign-in is that of the address: a password, and a mailed code. */
const BY_ADDRESS = ["auth0", "email"];

function identitiesOf(user: Fields, id: string | undefined, leaveOut: LeaveOut) {
  const listed = recordsIn(user.get("identities")).map((one) => ({
    provider: one.text("provider"),
    subject: one.text("user_id"),
  }));
  // An export of chosen members can lack them: the id says where somebody comes from.
  const [, provider, subject] = id?.match(/^([^|]+)\|(.+)$/s) ?? [];
  const all = listed.length > 0 ? listed : [{ provider, subject }];
  return all
    .filter((one) => one.provider !== undefined && !BY_ADDRESS.includes(one.provider))
    .flatMap((one) => identityOf({ ...one, email: undefined }, leaveOut));
}
