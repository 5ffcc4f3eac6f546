/** Values as services and databases write them. What cannot be read proves nothing, and restricts. */
import type { ImportedPerson, LeaveOut } from "./converter";
import { isRecord, textOf } from "./fields";

const TRUE = ["true", "t", "1", "yes", "y"];
const FALSE = ["false", "f", "0", "no", "n", "none"];

/** Whether a value says yes. */
export const isTrue = (value: unknown): boolean => value === true || TRUE.includes((textOf(value) ?? "").toLowerCase());

function isNo(value: unknown): boolean {
  if (typeof value !== "string" && typeof value !== "number")
    return value === undefined || value === null || value === false;
  return ["", ...FALSE].includes(String(value).trim().toLowerCase());
}

/** Whether a value restricts a person: anything but a no. */
export const restricts = (value: unknown): boolean => !isNo(value);

/** Whether a restriction holds until a time that has not come, or has none that can be read, such as `infinity`. */
export function restrictsUntil(value: unknown): boolean {
  if (isNo(value) || value === "-infinity") return false;
  const timeMs = timeOf(value);
  return timeMs === undefined || timeMs > Date.now();
}

/** Whether a value is the time at which something was proven, or says yes. */
export const isProven = (value: unknown): boolean => isTrue(value) || (timeOf(value) ?? 0) > 0;

/** Below, a number is no time: it would be before 1973. */
const MIN_TIME = 1e8;
const [MIN_MS, MIN_MICROSECONDS] = [1e11, 1e14];

/** A time in Unix ms: seconds, milliseconds or microseconds, ISO 8601, and what databases print. UTC without a zone. */
export function timeOf(value: unknown): number | undefined {
  if (isRecord(value)) return timeOf(value.$date ?? value.$numberLong);
  const text = textOf(value);
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return unixMs(Number(text));
  if (!/^(\d{4}-\d\d-\d\d|(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[ ,])/.test(text)) return undefined;
  const timeMs = Date.parse(isoOf(text));
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

function unixMs(value: number): number | undefined {
  if (value < MIN_TIME) return undefined;
  if (value < MIN_MS) return value * 1_000;
  return value < MIN_MICROSECONDS ? value : value / 1_000;
}

/** `2024-01-05 10:11:12.5+00` and its like. */
const DATABASE_TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?$/i;

function isoOf(text: string): string {
  const [, date, time = "", zone = "Z"] = text.match(DATABASE_TIME) ?? [];
  if (!date) return text;
  const [, hours, minutes = "00"] = zone.match(/^([+-]\d\d):?(\d\d)?$/) ?? [];
  return `${date}T${time.replace(",", ".")}${hours ? `${hours}:${minutes}` : "Z"}`;
}

/** What MySQL has for no time. */
const NO_TIME = /^0000-00-00/;

/** When an account was made, in ISO 8601; undefined, and counted, for a time that cannot be read or has not come. */
export function createdAtOf(value: unknown, leaveOut: LeaveOut): string | undefined {
  const timeMs = timeOf(value);
  if (timeMs !== undefined && timeMs > 0 && timeMs <= Date.now()) return new Date(timeMs).toISOString();
  const isGiven = value !== undefined && value !== null && value !== "" && !NO_TIME.test(String(value));
  if (isGiven) leaveOut("times of creation that are not taken");
  return undefined;
}

/** The id of a person as an `externalId` takes it. */
export function idOf(id: string | undefined, leaveOut: LeaveOut): string | undefined {
  if (id === undefined || /^(?:(?![/?#%\\])[!-~]){1,128}$/.test(id)) return id;
  leaveOut("ids that are not taken");
  return undefined;
}

const MAX_NAME_CHARACTERS = 200;

/** First and last name in one; undefined without any. */
export function nameOf(parts: readonly (string | undefined)[], leaveOut: LeaveOut): string | undefined {
  const given = parts.filter((part) => part !== undefined).join(" ");
  const name = given
    .replaceAll(/\p{Cc}+/gu, " ")
    .toWellFormed()
    .trim();
  if (name.length <= MAX_NAME_CHARACTERS) return name || undefined;
  leaveOut(`names of more than ${MAX_NAME_CHARACTERS} characters`);
  return undefined;
}

/** The secret of an authenticator app, which some write in groups or with padding. */
export function totpOf(value: unknown, leaveOut: LeaveOut): ImportedPerson["totp"] {
  const given = textOf(value);
  if (given === undefined) return undefined;
  const secret = given.replaceAll(/[\s=-]/g, "").toUpperCase();
  if (/^[A-Z2-7]{16,64}$/.test(secret)) return { secret };
  leaveOut("second factors of a kind that is not taken");
  return undefined;
}

/** What other services call the providers that are here too. Microsoft needs the tenant, which exports do not have. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: "google",
  "google.com": "google",
  "google-oauth2": "google",
  oauth_google: "google",
  github: "github",
  "github.com": "github",
  oauth_github: "github",
};

type Identity = NonNullable<ImportedPerson["identities"]>[number];

/** A sign-in with a provider; none, and counted, for a provider that is not here. */
export function identityOf(
  { provider = "an unknown provider", subject, email }: Record<"provider" | "subject" | "email", string | undefined>,
  leaveOut: LeaveOut,
): Identity[] {
  const name = provider.toLowerCase();
  const known = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  if (known !== undefined && subject) return [{ provider: known, subject, ...(email ? { email } : {}) }];
  leaveOut(`sign-ins with ${provider}`);
  return [];
}

/** Members of a row that has any. */
export const someOf = <T>(list: readonly T[]): T[] | undefined => (list.length === 0 ? undefined : [...list]);
