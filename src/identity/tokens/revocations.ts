/**
 * The signed list of revoked tokens, for services that verify tokens themselves. It names nobody: each entry is the
 * beginning of a digest. Requests cost no round trip, because an isolate asks D1 at most once a second.
 */
import { SignJWT } from "jose";
import type { Config } from "../../base/config/config";
import { sha256Hex, toBase64, utf8 } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { inTime } from "../../base/time";
import {
  foldTenant,
  type ListedRevocation,
  largestCrowd,
  REVOCABLE_SECONDS,
  type Revocation,
  readRevocations,
} from "./revocations-store";

/** What a prefix stands for was revoked for tokens issued until `at` (Unix seconds). */
type Entry = readonly [prefix: string, at: number];

const READ_EVERY_MS = 1000;
const MAX_READ_MS = 10_000;
const MAX_ENTRIES = 20_000;
/** Ways to shorten the list, each used while it is too long by the one before: it names more tenants as a whole. */
const SHORTENINGS = [
  { mostOfTenant: 500 },
  { mostOfTenant: 50 },
  { mostOfTenant: 5 },
  { mostOfTenant: 5, withoutUsers: true },
];
/** Stands for every token, also as the key of a row. */
const ALL = "*";
const PREFIX_BYTES = 9;
/** How long a list says something new at most: the lifetime of a token. */
const TTL_SECONDS = 900;
/** Within these steps an unchanged list keeps its signature. */
const ISSUED_EVERY_SECONDS = 10;

interface SignedList {
  jws: string;
  /** Weak: the same entries signed twice are different bytes. */
  etag: string;
}

/** What this isolate has read and signed last. */
class Kept {
  /** When the last reading began; Unix ms. */
  readAt = -Infinity;
  reading: Promise<readonly Entry[]> = Promise.resolve([]);
  /** By text, so that a reading computes the digests of new texts only. */
  prefixes: ReadonlyMap<string, string> = new Map();
  /** With what it says. */
  signed: (SignedList & { content: string }) | undefined;
}

const keptBy = new WeakMap<Config, Kept>();

/** The list as it was at most a second ago, as a compact JWS. */
export async function revokedList(deps: Deps): Promise<SignedList> {
  const kept = keptBy.get(deps.config) ?? new Kept();
  keptBy.set(deps.config, kept);
  if (Math.abs(deps.now() - kept.readAt) >= READ_EVERY_MS) {
    kept.readAt = deps.now();
    kept.reading = read(deps, kept);
    // Other requests wait for it, so it goes on if this one is cancelled. A failure is that of all who wait.
    deps.background("read revocations", kept.reading);
  }
  return signed(deps, kept, await inTime(MAX_READ_MS, kept.reading));
}

async function read(deps: Deps, kept: Kept): Promise<readonly Entry[]> {
  const after = Math.floor(deps.now() / 1000) - REVOCABLE_SECONDS;
  const found = await readFitting(deps, after);
  const crowd = largestCrowd(found);
  if (crowd) deps.background("fold revocations", foldTenant(deps, crowd, after));
  const [newest] = found;
  if (newest && found.length > MAX_ENTRIES) return [[ALL, newest.at]];
  kept.prefixes = new Map(await Promise.all(found.map(({ key }) => withPrefix(key, kept.prefixes))));
  return entriesOf(found, kept.prefixes);
}

/** The revocations, with as many tenants named as a whole as it takes; still too many if that does not suffice. */
async function readFitting(deps: Deps, after: number): Promise<ListedRevocation[]> {
  let found: ListedRevocation[] = [];
  for (const shortening of SHORTENINGS) {
    found = await readRevocations(deps, after, { ...shortening, limit: MAX_ENTRIES + 1 });
    if (found.length <= MAX_ENTRIES) break;
  }
  return found;
}

async function withPrefix(key: string, known: ReadonlyMap<string, string>): Promise<[key: string, prefix: string]> {
  return [key, key === ALL ? ALL : (known.get(key) ?? (await prefixOf(key)))];
}

/** The first bytes of the SHA-256 of a text in base64url, without padding. */
async function prefixOf(key: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(key)));
  return toBase64(digest.subarray(0, PREFIX_BYTES)).replaceAll("+", "-").replaceAll("/", "_");
}

/** The prefix of each key with its time, sorted. */
const entriesOf = (found: readonly Revocation[], prefixes: ReadonlyMap<string, string>): Entry[] =>
  found.map(({ key, at }): Entry => [prefixes.get(key) ?? "", at]).sort(([one], [other]) => (one < other ? -1 : 1));

/** Signs the list, unless it is the same as the one before. */
async function signed({ signers, config, now }: Deps, kept: Kept, revoked: readonly Entry[]): Promise<SignedList> {
  const { key, issuer } = await signers.current();
  const iat = Math.floor(now() / 1000 / ISSUED_EVERY_SECONDS) * ISSUED_EVERY_SECONDS;
  const payload = { iss: issuer, aud: config.tokenAudience, iat, ttl: TTL_SECONDS, revoked };
  const content = JSON.stringify([key.kid, payload]);
  if (kept.signed?.content === content) return kept.signed;
  const header = { alg: key.alg, kid: key.kid, typ: "revoked+jwt" };
  const jws = await new SignJWT(payload).setProtectedHeader(header).sign(key.privateKey);
  kept.signed = { jws, etag: `W/"${await sha256Hex(content)}"`, content };
  return kept.signed;
}
