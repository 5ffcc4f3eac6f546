/** Supabase: the table `auth.users`, as CSV or as JSON, and what its API lists. */
import { addressIn, converterOf, type LeaveOut } from "./converter";
import { Fields, isRecord, recordsIn, textOf } from "./fields";
import { passwordOf } from "./password";
import { createdAtOf, identityOf, idOf, isProven, nameOf, restricts, restrictsUntil, someOf } from "./values";

export const supabase = converterOf({
  address: ["email"],
  proof: ["email_confirmed_at", "confirmed_at"],
  convert: (user, leaveOut) => {
    const email = addressIn(user, ["email"], leaveOut);
    if (email === undefined) return undefined;
    if (restricts(user.get("deleted_at"))) {
      leaveOut("deleted people");
      return undefined;
    }
    for (const _ of recordsIn(user.get("factors"))) leaveOut("second factors");
    return {
      email,
      emailVerified: isProven(user.get("email_confirmed_at", "confirmed_at")),
      externalId: idOf(user.text("id"), leaveOut),
      name: nameOf([nameIn(metadataOf(user.get("raw_user_meta_data", "user_metadata"), leaveOut))], leaveOut),
      createdAt: createdAtOf(user.get("created_at"), leaveOut),
      suspended: restrictsUntil(user.get("banned_until")) ? true : undefined,
      password: passwordOf(user.get("encrypted_password"), leaveOut),
      identities: someOf(identitiesOf(user, leaveOut)),
    };
  },
});

const nameIn = (metadata: Fields): string | undefined => metadata.text("full_name", "name", "display_name");

/** Metadata, which CSV has as JSON. Only the name depends on it. */
function metadataOf(given: unknown, leaveOut: LeaveOut): Fields {
  if (isRecord(given)) return new Fields(given);
  try {
    const parsed: unknown = JSON.parse(textOf(given) ?? "{}");
    return new Fields(isRecord(parsed) ? parsed : {});
  } catch {
    leaveOut("metadata that cannot be read, and the names in it");
    return new Fields({});
  }
}

/** The table has no sign-ins, but the names of their providers. What the API lists has both. */
function identitiesOf(user: Fields, leaveOut: LeaveOut) {
  const listed = recordsIn(user.get("identities"));
  if (listed.length > 0) {
    return listed
      .filter((one) => one.text("provider") !== "email")
      .flatMap((one) => {
        const data = one.get("identity_data");
        const own = new Fields(isRecord(data) ? data : {});
        const [provider, subject] = [one.text("provider"), own.text("sub", "provider_id")];
        return identityOf({ provider, subject, email: own.text("email") }, leaveOut);
      });
  }
  const { providers } = metadataOf(user.get("raw_app_meta_data", "app_metadata"), () => undefined).record;
  for (const provider of Array.isArray(providers) ? providers : []) {
    if (provider !== "email") leaveOut(`sign-ins with ${provider}`);
  }
  return [];
}
