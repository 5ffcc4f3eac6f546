/** Which kinds of imported hashes are taken, and how they are stored until their first right password. */
import { readArgon2 } from "./argon2";
import { readBcrypt } from "./bcrypt";
import { readDjango } from "./django";
import { readFirebase } from "./firebase";
import { type HashReader, HashRefused, type ImportedHash } from "./hash";
import { readPbkdf2 } from "./pbkdf2";
import type { FirebaseSettings } from "./schemas";
import { readBetterAuth, readScrypt } from "./scrypt";

const READERS = {
  bcrypt: readBcrypt,
  argon2: readArgon2,
  scrypt: readScrypt,
  pbkdf2: readPbkdf2,
  django: readDjango,
  "better-auth": readBetterAuth,
} as const satisfies Record<string, HashReader>;

type ReaderName = keyof typeof READERS;
type HashKind = ReaderName | "firebase-scrypt";

/** Kinds that the form of a hash tells. */
const TOLD: readonly ReaderName[] = ["bcrypt", "argon2", "scrypt", "pbkdf2", "django", "better-auth"];

const NAMES: Readonly<Record<string, HashKind>> = {
  ...Object.fromEntries(TOLD.map((kind) => [kind, kind])),
  argon2id: "argon2",
  argon2i: "argon2",
  argon2d: "argon2",
  "firebase-scrypt": "firebase-scrypt",
};

const MAX_HASH_CHARACTERS = 512;
/** Former code, which knows argon2id only, reads a password behind this as a wrong one. */
const TAG = "imported:";

/** `password` of a row: a hash of another service. */
export interface GivenHash {
  hash: string;
  kind?: string | undefined;
  salt?: string | undefined;
}

/** The import that brings a hash, and what its hashes of Firebase need. */
export interface HashSource {
  importId: string;
  firebase: FirebaseSettings | null;
}

const notTaken = () => new HashRefused("hash kind is not taken; leave the password out");

/** Returns what `users.password_hash` stores. Throws `HashRefused` for a hash that is not taken. */
export function tagHash(given: GivenHash, { importId, firebase }: HashSource): string {
  const { hash, salt } = given;
  if (hash.length > MAX_HASH_CHARACTERS) throw notTaken();
  const kind = given.kind === undefined ? TOLD.find((name) => READERS[name](hash)) : kindNamed(given.kind);
  if (!kind) throw notTaken();
  if (kind !== "firebase-scrypt") {
    if (!READERS[kind](hash)) throw notTaken();
    return `${TAG}${kind}:${importId}:${hash}`;
  }
  if (!firebase)
    throw new HashRefused("hashSettings.firebase is missing: the import needs the hash parameters of the project");
  if (salt === undefined) throw new HashRefused("password.salt is missing");
  readFirebase(hash, salt, firebase);
  return `${TAG}${kind}:${importId}:${salt}:${hash}`;
}

const kindNamed = (name: string): HashKind | undefined => (Object.hasOwn(NAMES, name) ? NAMES[name] : undefined);

export const isImported = (stored: string): boolean => stored.startsWith(TAG);

/**
 * Whether two stored hashes are the same, whichever imports have brought them. Those of Firebase are so only if their
 * imports have the same settings: `alike` has the ids of those imports whose settings are those of the hash `b`.
 */
export function isSameHash(a: string, b: string, alike: ReadonlySet<string> = new Set()): boolean {
  if (a === b) return true;
  if (!isImported(a) || !isImported(b)) return false;
  const [x, y] = [parts(a), parts(b)];
  return x.kind === y.kind && x.rest === y.rest && (settingsOf(a) === null || alike.has(x.importId));
}

/** The import whose settings a stored hash needs; null if it needs none. */
export function settingsOf(stored: string): string | null {
  const { kind, importId } = parts(stored);
  return kind === "firebase-scrypt" ? importId : null;
}

/** The stored hash, read again; null if it cannot be read, or its settings are gone. */
export function readStored(stored: string, firebase: FirebaseSettings | null): ImportedHash | null {
  const { kind, rest } = parts(stored);
  if (kind !== "firebase-scrypt") return Object.hasOwn(READERS, kind) ? READERS[kind as ReaderName](rest) : null;
  const [salt = "", hash = ""] = rest.split(":");
  return firebase && readFirebase(hash, salt, firebase);
}

function parts(stored: string): { kind: string; importId: string; rest: string } {
  const [, kind = "", importId = "", rest = ""] = stored.match(/^imported:([^:]+):([^:]+):(.+)$/s) ?? [];
  return { kind, importId, rest };
}
