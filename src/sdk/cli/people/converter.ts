/** Turning the export of another service into people as `POST /platform/imports` takes them. */

/** A row of an import; see "Moving in" in the documentation. */
export interface ImportedPerson {
  email: string;
  externalId?: string | undefined;
  emailVerified?: boolean | undefined;
  name?: string | undefined;
  createdAt?: string | undefined;
  suspended?: boolean | undefined;
  password?: { hash: string; kind?: string; salt?: string } | undefined;
  totp?: { secret: string } | undefined;
  identities?: { provider: string; subject: string; email?: string }[] | undefined;
  memberships?: { tenant: string; role: string }[] | undefined;
}

/** Converts the text of an export, and counts with `leaveOut` what cannot come along. */
export type Converter = (text: string, leaveOut: (what: string) => void) => Iterable<ImportedPerson>;

/** A record of an export. */
export type Exported = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Exported =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The text in a member; undefined if it is missing, empty or no text. */
export const textIn = (record: Exported, member: string): string | undefined => {
  const value = record[member];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
};

/** The address of a person; undefined, and counted, for one without. */
export function addressIn(user: Exported, member: string, leaveOut: (what: string) => void): string | undefined {
  const email = textIn(user, member);
  if (email === undefined) leaveOut("people without an address");
  return email;
}

/** The records in a list. */
export const recordsIn = (value: unknown): Exported[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** A time of an export in ISO 8601; undefined for none. Takes what databases print, and milliseconds. */
export function timeOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const text = String(value);
  const isoLike = text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00");
  const time = new Date(/^\d{10,}$/.test(text) ? Number(text) : isoLike);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** What other services call the providers that are here too. Microsoft needs the tenant, which exports do not have. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: "google",
  "google.com": "google",
  "google-oauth2": "google",
  github: "github",
  "github.com": "github",
};

/** A sign-in with a provider; undefined, and counted, for a provider that is not here. */
export function identityOf(
  { provider, subject, email }: { provider: string; subject: unknown; email?: string | undefined },
  leaveOut: (what: string) => void,
): NonNullable<ImportedPerson["identities"]>[number] | undefined {
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (known !== undefined && (typeof subject === "string" || typeof subject === "number")) {
    return { provider: known, subject: String(subject), ...(email === undefined ? {} : { email }) };
  }
  leaveOut(`sign-ins with ${provider}`);
  return undefined;
}

/** First and last name in one; undefined without any. */
export const nameOf = (...parts: (string | undefined)[]): string | undefined =>
  parts.filter((part) => part !== undefined).join(" ") || undefined;
