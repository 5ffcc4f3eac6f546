/** Firebase: what `firebase auth:export` writes, as JSON or as CSV, and what `listUsers` of its Admin SDK returns. */
import { fromBase64 } from "../../../base/crypto/encoding";
import { addressIn, converterOf, type ImportedPerson, type LeaveOut } from "./converter";
import { csvRows, recordOf } from "./csv";
import { Fields, isRecord, recordsIn } from "./fields";
import { isJson, recordsOf } from "./records";
import { createdAtOf, identityOf, idOf, isTrue, nameOf, restricts, someOf } from "./values";

const HASH_BYTES = 64;

export const firebase = converterOf({
  address: ["email"],
  proof: ["emailVerified"],
  read: (text) => (isJson(text) ? recordsOf(text) : readCsvRows(text)),
  convert: (user, leaveOut) => {
    for (const _ of factorsOf(user)) leaveOut("second factors");
    const email = addressIn(user, ["email"], leaveOut);
    if (email === undefined) return undefined;
    return {
      email,
      emailVerified: isTrue(user.get("emailVerified")),
      externalId: idOf(user.text("localId", "uid"), leaveOut),
      name: nameOf([user.text("displayName")], leaveOut),
      createdAt: createdAtOf(user.get("createdAt") ?? partOf(user, "metadata").get("creationTime"), leaveOut),
      suspended: restricts(user.get("disabled")) ? true : undefined,
      password: passwordOf(user, leaveOut),
      identities: someOf(identitiesOf(user, leaveOut)),
    };
  },
});

/** Without the permission to read hashes, exports have the Base64 of a word in their place. */
function passwordOf(user: Fields, leaveOut: LeaveOut): ImportedPerson["password"] {
  const [hash, salt] = [user.text("passwordHash"), user.text("salt", "passwordSalt")];
  if (hash === undefined) return undefined;
  if (bytesOf(hash) !== HASH_BYTES) leaveOut("passwords that were not given");
  else if (salt === undefined || !bytesOf(salt)) leaveOut("passwords without their salt");
  else return { kind: "firebase-scrypt", hash, salt };
  return undefined;
}

/** How many bytes a text in either alphabet of Base64 has; undefined for one that is none. */
function bytesOf(base64: string): number | undefined {
  try {
    return fromBase64(base64.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "")).length;
  } catch {
    return undefined;
  }
}

/** An object in a record; an empty one if there is none. */
function partOf(user: Fields, name: string): Fields {
  const part = user.get(name);
  return new Fields(isRecord(part) ? part : {});
}

const factorsOf = (user: Fields) =>
  recordsIn(user.get("mfaInfo") ?? partOf(user, "multiFactor").get("enrolledFactors"));

const identitiesOf = (user: Fields, leaveOut: LeaveOut) =>
  recordsIn(user.get("providerUserInfo", "providerData"))
    .filter((one) => one.text("providerId") !== "password")
    .flatMap((one) => {
      const [provider, subject] = [one.text("providerId"), one.text("rawId", "uid")];
      return identityOf({ provider, subject, email: one.text("email") }, leaveOut);
    });

/** The columns of the CSV, which has no line of names. Each provider has four: id, address, name and picture. */
const COLUMNS = ["localId", "email", "emailVerified", "passwordHash", "salt", "displayName", "photoUrl"];
const PROVIDERS = { "google.com": 7, "facebook.com": 11, "twitter.com": 15, "github.com": 19 };
const CREATED_AT = 23;
const DISABLED = 26;

function* readCsvRows(text: string): Generator<Fields> {
  const [first = [], ...others] = csvRows(text);
  // Somebody may have added a line of names.
  const hasNames = !/^(true|false)$/.test(first[2] ?? "");
  const names = first.map((name) => name ?? "");
  for (const cells of hasNames ? others : [first, ...others]) {
    yield new Fields(hasNames ? recordOf(names, cells) : positional(cells));
  }
}

function positional(cells: readonly (string | null)[]) {
  const providerUserInfo = Object.entries(PROVIDERS).flatMap(([providerId, at]) =>
    cells[at] ? [{ providerId, rawId: cells[at], email: cells[at + 1] }] : [],
  );
  return {
    ...recordOf(COLUMNS, cells),
    createdAt: cells[CREATED_AT],
    disabled: cells[DISABLED],
    providerUserInfo,
  };
}
