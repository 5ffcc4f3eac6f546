/** Turning the export of another service into people as `POST /platform/imports` takes them. */
import { EXIT, Failure } from "../failure";
import type { Fields } from "./fields";
import { recordsOf } from "./records";

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

/** Counts what cannot come along. */
export type LeaveOut = (what: string) => void;

/**
 * Converts the text of an export. Throws Failure for a text that cannot be parsed, and for one without any of the
 * members that people are made of.
 */
export type Converter = (text: string, leaveOut: LeaveOut) => Iterable<ImportedPerson>;

/** An export of one record a person. */
interface Export {
  /** The members that an address can be in. */
  address: readonly string[];
  /** The members that say whether an address is proven. */
  proof: readonly string[];
  /** Undefined for somebody who is left out. */
  convert: (user: Fields, leaveOut: LeaveOut) => ImportedPerson | undefined;
  read?: (text: string) => Iterable<Fields>;
}

/** A converter that fails when no record has an address member: then it has understood nothing. */
export const converterOf = ({ address, proof, convert, read = recordsOf }: Export): Converter =>
  function* (text, leaveOut) {
    let first: Fields | undefined;
    let [hasAddresses, hasProofs] = [false, false];
    for (const user of read(text)) {
      first ??= user;
      hasAddresses ||= user.has(...address);
      hasProofs ||= user.has(...proof);
      const person = convert(user, leaveOut);
      if (person) yield person;
    }
    if (!first) return;
    if (!hasAddresses) throw notUnderstood(address, first.names);
    if (!hasProofs) leaveOut(`proofs of addresses, because the file has no ${proof[0]}`);
  };

const MAX_NAMES_TOLD = 40;
/** Of each: what stands where names are expected may be none. */
const MAX_NAME_CHARACTERS = 40;
const OTHER_SEPARATORS: Readonly<Record<string, string>> = { ";": "semicolons", "\t": "tabs", "|": "bars" };

/** Says what was expected, and which names were found. No values: they can be secret. */
export function notUnderstood(expected: readonly string[], found: readonly string[]): Failure {
  const separator =
    found.length === 1 ? Object.keys(OTHER_SEPARATORS).find((one) => found[0]?.includes(one)) : undefined;
  const hint = separator && ` Its columns are separated by ${OTHER_SEPARATORS[separator]}: separate them by commas.`;
  const names = found
    .slice(0, MAX_NAMES_TOLD)
    .map((name) => name.slice(0, MAX_NAME_CHARACTERS))
    .join(", ");
  return new Failure(EXIT.failed, `The file has no ${expected.join(" or ")}.${hint ?? ""} It has: ${names}`);
}

/** The address of a person; undefined, and counted, for one without. */
export function addressIn(user: Fields, members: readonly string[], leaveOut: LeaveOut): string | undefined {
  const email = user.text(...members);
  if (email === undefined) leaveOut("people without an address");
  return email;
}
