/** The signed list of revoked tokens, which the issuer publishes at `/.well-known/revoked`. */
import { utf8 } from "../../base/crypto/encoding";
import { toBase64Url } from "../base64url";
import { type Claims, type KeySet, openJws } from "./jws";
import { fetchDocument, type Source } from "./request";
import { singleFlight } from "./single-flight";

/** A list that was confirmed longer ago is fetched before an answer. */
const FRESH_MS = 2_000;
/** A list that was confirmed longer ago is stale. */
const STALE_MS = 15_000;
const PREFIX_BYTES = 9;
/** The entry that stands for every token. */
const ALL = "*";

/** What a token is asked about: its claims of these names, and when it was issued in Unix seconds. */
export interface Revocable {
  sid: string;
  tid: string;
  sub: string;
  iat: number;
  /** Of an app that the person has signed in to. */
  clientId?: string;
}

interface Verdict {
  isRevoked: boolean;
  /** False before the first list has come. */
  checked: boolean;
  /** Whether the list was not confirmed for 15 seconds. */
  stale: boolean;
  /** When the list was last confirmed. */
  asOf: Date | null;
}

export interface Revocations {
  check(token: Revocable): Promise<Verdict>;
}

interface List {
  /** Unix seconds by prefix: tokens that were issued until then are revoked. */
  entries: ReadonlyMap<string, number>;
  issuedAt: number;
  etag: string | null;
}

interface Parties {
  issuer: string;
  /** Null for an app, which does not know the audience of sessions. */
  audience: string | null;
}

/** `now` is in Unix ms. */
export function createRevocations(source: Source, keys: KeySet, parties: Parties, now: () => number): Revocations {
  let list: List | undefined;
  /** When the request began that confirmed the list, and when the last one failed; Unix ms. */
  let confirmedAt = -Infinity;
  let failedAt = -Infinity;

  const isWithin = (ms: number, time: number) => Math.abs(now() - time) < ms;
  const poll = singleFlight(async () => {
    const startedAt = now();
    try {
      const document = await fetchDocument(source, list?.etag ?? undefined);
      if (document) {
        const next = readList(await openJws(document.text.trim(), "revoked+jwt", keys), parties, document.etag);
        if (list && next.issuedAt < list.issuedAt) throw new Error("The list is older than the one before it.");
        list = next;
      }
      confirmedAt = startedAt;
    } catch {
      failedAt = now();
    }
  }, source.timeoutMs);

  return {
    async check(token) {
      if (!isWithin(FRESH_MS, confirmedAt) && !isWithin(FRESH_MS, failedAt)) await poll();
      return {
        isRevoked: list !== undefined && (await isListed(list.entries, token)),
        checked: list !== undefined,
        stale: !isWithin(STALE_MS, confirmedAt),
        asOf: list === undefined ? null : new Date(confirmedAt),
      };
    },
  };
}

/** A token is revoked if one of its texts is listed with a time at or after its own. */
async function isListed(entries: List["entries"], { sid, tid, sub, iat, clientId }: Revocable): Promise<boolean> {
  if (entries.size === 0) return false;
  const ofClient = clientId === undefined ? [] : [`c:${clientId}`, `c:${clientId}:${tid}`];
  const texts = [`s:${sid}:${tid}`, `u:${sub}`, `m:${tid}:${sub}`, `t:${tid}`, ...ofClient];
  const prefixes = await Promise.all(texts.map(prefixOf));
  return [...prefixes, ALL].some((prefix) => (entries.get(prefix) ?? -Infinity) >= iat);
}

async function prefixOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text)));
  return toBase64Url(digest.subarray(0, PREFIX_BYTES));
}

/** Throws for a list of somebody else, and for one of another shape. */
function readList({ iss, aud, iat, revoked }: Claims, { issuer, audience }: Parties, etag: string | null): List {
  if (iss !== issuer || (audience !== null && aud !== audience)) throw new Error("The list is somebody else's.");
  if (typeof iat !== "number" || !Array.isArray(revoked) || !revoked.every(isEntry)) throw new Error("Malformed list.");
  const entries = new Map<string, number>();
  for (const [prefix, at] of revoked as [string, number][]) {
    entries.set(prefix, Math.max(at, entries.get(prefix) ?? -Infinity));
  }
  return { entries, issuedAt: iat, etag };
}

const isEntry = (entry: unknown): entry is [string, number] =>
  Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1] === "number";
