/** Keycloak: the users of a realm, as `kc.sh export` writes them. What its API lists has no passwords. */
import { utf8 } from "../../../base/crypto/encoding";
import { addressIn, converterOf, type ImportedPerson, type LeaveOut } from "./converter";
import { Fields, isRecord, recordsIn } from "./fields";
import { passwordOf } from "./password";
import { wholeJson } from "./records";
import { createdAtOf, identityOf, idOf, isTrue, nameOf, someOf, totpOf } from "./values";

export const keycloak = converterOf({
  address: ["email"],
  proof: ["emailVerified"],
  convert: (user, leaveOut) => {
    // A client that acts for itself is nobody.
    if (user.text("serviceAccountClientId", "serviceAccountClientLink") !== undefined) return undefined;
    const email = addressIn(user, ["email"], leaveOut);
    if (email === undefined) return undefined;
    if (!user.has("credentials")) leaveOut("passwords that were not given");
    const credentials = recordsIn(user.get("credentials")).map(detailsOf);
    return {
      email,
      emailVerified: isTrue(user.get("emailVerified")),
      externalId: idOf(user.text("id"), leaveOut),
      name: nameOf([user.text("firstName"), user.text("lastName")], leaveOut),
      createdAt: createdAtOf(user.get("createdTimestamp"), leaveOut),
      suspended: user.has("enabled") && !isTrue(user.get("enabled")) ? true : undefined,
      password: passwordIn(credentials, leaveOut),
      totp: totpIn(credentials, leaveOut),
      identities: someOf(identitiesOf(user, leaveOut)),
    };
  },
});

/** What a credential says of itself, which is JSON in two of its members. Old versions have it beside them. */
function detailsOf(credential: Fields): Fields {
  const parts = [credential.text("secretData"), credential.text("credentialData")].map(recordIn);
  return new Fields(Object.assign({}, credential.record, ...parts));
}

function recordIn(json: string | undefined) {
  try {
    const value = json === undefined ? {} : wholeJson(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const ofType = (credentials: readonly Fields[], type: string) =>
  credentials.filter((one) => one.text("type")?.toLowerCase() === type);

function passwordIn(credentials: readonly Fields[], leaveOut: LeaveOut): ImportedPerson["password"] {
  const [password] = ofType(credentials, "password");
  return password && passwordOf(hashOf(password) ?? "in a form that is not known", leaveOut);
}

/** The hash in the form that an import takes; undefined for another algorithm. */
function hashOf(password: Fields): string | undefined {
  const [salt, key] = [password.text("salt"), password.text("value", "hashedSaltedValue")].map((part) =>
    part?.replace(/=+$/, ""),
  );
  const [algorithm, iterations] = [password.text("algorithm"), password.text("hashIterations")];
  if (!salt || !key || !iterations) return undefined;
  if (/^pbkdf2(?:-sha(?:256|512))?$/.test(algorithm ?? "")) return `$${algorithm}$i=${iterations}$${salt}$${key}`;
  if (algorithm !== "argon2") return undefined;
  const given = password.get("additionalParameters");
  const parameter = (name: string) => new Fields(isRecord(given) ? given : {}).get(name);
  const [type, memory, parallelism] = ["type", "memory", "parallelism"].map((name) =>
    [parameter(name)].flat().join(""),
  );
  return `$argon2${type}$v=19$m=${memory},t=${iterations},p=${parallelism}$${salt}$${key}`;
}

/** One authenticator app comes along, if its codes are those of most. */
function totpIn(credentials: readonly Fields[], leaveOut: LeaveOut): ImportedPerson["totp"] {
  const apps = ofType(credentials, "otp");
  const usual = apps.find(
    (one) =>
      (one.text("subType") ?? "totp") === "totp" &&
      (one.text("digits") ?? "6") === "6" &&
      (one.text("period") ?? "30") === "30" &&
      (one.text("algorithm") ?? "HmacSHA1") === "HmacSHA1",
  );
  const others = credentials.length - ofType(credentials, "password").length - (usual ? 1 : 0);
  for (let count = 0; count < others; count += 1) leaveOut("second factors and passkeys");
  if (!usual) return undefined;
  const secret = usual.text("value") ?? "";
  return totpOf(usual.text("secretEncoding") === "BASE32" ? secret : base32(utf8(secret)), leaveOut);
}

const BASE_32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 section 6, without padding. Keycloak takes the characters of a secret for its bytes. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE_32[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

const identitiesOf = (user: Fields, leaveOut: LeaveOut) =>
  recordsIn(user.get("federatedIdentities")).flatMap((one) => {
    const [provider, subject] = [one.text("identityProvider"), one.text("userId")];
    return identityOf({ provider, subject, email: undefined }, leaveOut);
  });
