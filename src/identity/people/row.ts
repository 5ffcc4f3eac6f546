/** One line of an import: a person, as another service has exported them. */
import * as z from "zod";
import type { Config } from "../../base/config/config";
import type { Deps } from "../../base/deps";
import { jsonOf } from "../../base/json";
import { describeError, log } from "../../base/log/log";
import { parseWithNulls } from "../../base/schemas/nulls";
import { email, name, providerName, role } from "../../base/schemas/schemas";
import { externalId } from "../../tenancy/directory/schemas";
import { readJwk } from "../passkeys/webauthn/public-key";
import { Refusal } from "../passkeys/webauthn/refusal";
import { relyingParty } from "../passkeys/webauthn/relying-party";
import { HashBeyondBounds, HashRefused } from "../passwords/imported/hash";
import { type HashSource, tagHash } from "../passwords/imported/read";
import { issuerOf } from "../providers/providers";
import type { ImportedPasskey, NewIdentity, Row } from "./person";

const MAX_CREDENTIALS = 10;
const MAX_MEMBERSHIPS = 100;
const MAX_IGNORED = 20;
const MAX_IGNORED_CHARACTERS = 64;
const UNNAMED_PASSKEY = "Imported passkey";

/** A row that is refused. The message is for the report and repeats nothing secret. */
class RowRefused extends Error {}

const text = (maxCharacters: number) =>
  z
    .string()
    .min(1)
    .max(maxCharacters)
    .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), "Must not contain control characters");

const identity = z.object({
  provider: providerName,
  subject: text(255),
  issuer: z.string().max(1000).nullish(),
  // A note only, so an odd one costs itself.
  email: email.nullish().catch(null),
});

const passkey = z.object({
  id: z
    .string()
    .max(1364)
    .regex(/^[A-Za-z0-9_-]+$/, "Must be base64url without padding"),
  publicKey: z.record(z.string(), z.unknown()),
  rpId: z.string(),
  counter: z.int().min(0).max(0xffff_ffff).default(0),
  transports: z.array(text(32)).max(MAX_CREDENTIALS).default([]),
  name: text(64).default(UNNAMED_PASSKEY),
});

const FIELDS = {
  email,
  externalId: externalId.nullish(),
  emailVerified: z.boolean().default(false),
  name: name.nullish(),
  createdAt: z.iso
    .datetime({ offset: true })
    .transform((iso) => Date.parse(iso))
    .nullish(),
  suspended: z.boolean().default(false),
  password: z.object({ hash: z.string(), kind: z.string().optional(), salt: z.string().optional() }).nullish(),
  totp: z
    .object({ secret: z.string().regex(/^[A-Za-z2-7]{16,64}$/, "Must be 16 to 64 characters of base32") })
    .nullish(),
  identities: z.array(identity).max(MAX_CREDENTIALS).default([]),
  passkeys: z.array(passkey).max(MAX_CREDENTIALS).default([]),
  memberships: z
    .array(z.object({ tenant: z.string().min(1).max(132), role }))
    .max(MAX_MEMBERSHIPS)
    .default([]),
};
const schema = z.object(FIELDS);
const MAY_BE_EMPTY = ["name", "externalId", "createdAt"] as const;

/** What a row is read with. */
export interface RowContext {
  deps: Deps;
  hashes: HashSource;
  /** Unix ms. */
  nowMs: number;
}

/** What the report says of a line besides its outcome. */
interface LineSubject {
  email?: string;
  externalId?: string;
  ignored?: string[];
  /** Why the person comes without the password of the row. */
  withoutPassword?: string;
}

/** A line that was read: a row, or why it is refused. */
export type ReadLine = LineSubject & ({ row: Row } | { refused: string });

/** Reads a line. Never throws because of what it says. */
export async function readLine(line: string, context: RowContext): Promise<ReadLine> {
  const value = parsed(line);
  if (value === null) return { refused: "Must be a JSON object" };
  const subject = subjectOf(value);
  // Databases and spreadsheets write what is absent as an empty text.
  for (const field of MAY_BE_EMPTY) if (value[field] === "") value[field] = null;
  try {
    const read = await parseWithNulls(schema, value);
    if (!read.success) throw new RowRefused(describe(read.error));
    const { passwordHash, withoutPassword } = passwordOf(read.data.password, context);
    const row = await rowOf(read.data, passwordHash, context);
    return withoutPassword === undefined
      ? { ...subject, row }
      : { ...leavingOut("password", subject), row, withoutPassword };
  } catch (error) {
    if (error instanceof RowRefused || error instanceof HashRefused) return { ...subject, refused: error.message };
    // No row stops those that come after it.
    log("error", "import row not read", describeError(error));
    return { ...subject, refused: "The row could not be read" };
  }
}

function parsed(line: string): Record<string, unknown> | null {
  const value = jsonOf(line);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function subjectOf(value: Readonly<Record<string, unknown>>): LineSubject {
  const ignored = Object.keys(value)
    .filter((key) => !Object.hasOwn(FIELDS, key))
    .slice(0, MAX_IGNORED)
    .map((key) => key.slice(0, MAX_IGNORED_CHARACTERS).toWellFormed());
  const address = email.safeParse(value.email).data;
  const ownId = externalId.safeParse(value.externalId).data;
  return {
    ...(ownId === undefined ? {} : { externalId: ownId }),
    ...(address === undefined ? {} : { email: address }),
    ...(ignored.length === 0 ? {} : { ignored }),
  };
}

const leavingOut = (member: string, subject: LineSubject): LineSubject => ({
  ...subject,
  ignored: [...(subject.ignored ?? []), member],
});

/** The hash as it is stored; none, and why, for one that would cost too much to check. */
function passwordOf(given: z.output<typeof schema>["password"], { hashes }: RowContext) {
  if (!given) return { passwordHash: "" };
  try {
    return { passwordHash: tagHash(given, hashes) };
  } catch (error) {
    if (!(error instanceof HashBeyondBounds)) throw error;
    return { passwordHash: "", withoutPassword: error.message };
  }
}

function describe({ issues }: Pick<z.ZodError, "issues">): string {
  const [issue] = issues;
  return issue ? `${issue.path.map(String).join(".")}: ${issue.message}` : "The row is not valid";
}

async function rowOf(given: z.output<typeof schema>, passwordHash: string, { deps, nowMs }: RowContext): Promise<Row> {
  const { config } = deps;
  const { email: address, createdAt, totp } = given;
  if (config.operators.includes(address)) throw new RowRefused("The address belongs to an operator of this service");
  if (createdAt && createdAt > nowMs) throw new RowRefused("createdAt: Must be in the past");
  return {
    email: address,
    externalId: given.externalId ?? null,
    isVerified: given.emailVerified,
    name: given.name ?? null,
    createdAt: createdAt ?? null,
    isSuspended: given.suspended,
    passwordHash,
    totpSecret: totp ? totp.secret.toUpperCase() : null,
    identities: await Promise.all(given.identities.map((one, index) => identityOf(deps, one, index))),
    passkeys: await Promise.all(given.passkeys.map((one, index) => passkeyOf(config, one, index))),
    memberships: given.memberships,
  };
}

async function identityOf(deps: Deps, given: z.output<typeof identity>, index: number): Promise<NewIdentity> {
  const issuer = await issuerOf(deps, given.provider, given.issuer ?? undefined);
  if (issuer === null) throw new RowRefused(`identities.${index}.issuer: Must be the issuer that people sign in with`);
  return { provider: given.provider, issuer, subject: given.subject, email: given.email ?? null };
}

async function passkeyOf(config: Config, given: z.output<typeof passkey>, index: number): Promise<ImportedPasskey> {
  const { id, rpId, publicKey, counter, transports, name: label } = given;
  if (rpId !== relyingParty(config).id) {
    throw new RowRefused(`passkeys.${index}.rpId: Passkeys of another host do not work here`);
  }
  try {
    return { id, publicKey: await readJwk(publicKey), counter, transports, name: label };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new RowRefused(`passkeys.${index}.publicKey: Must be a key of Ed25519, P-256 or RSA as JWK`);
  }
}
