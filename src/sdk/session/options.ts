/** The options of a verifier, checked. */
import type { Parser } from "../parser";
import type { Fetch, Source } from "./request";

const MAX_KEY_SET_BYTES = 64 * 1024;
const MAX_LIST_BYTES = 2 * 1024 * 1024;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

export interface SessionVerifierOptions {
  /** The `iss` of the tokens, such as `https://postern.example.com`. The keys are looked for below it. */
  issuer: string;
  /** The `aud` of the tokens: the service's `TOKEN_AUDIENCE`. */
  audience: string;
  /**
   * "poll" (unless given) asks the issuer every two seconds which tokens were revoked, so a token that ends is refused
   * within five seconds. "off" does not ask: it is accepted until it expires, up to 15 minutes.
   */
  revocation?: "poll" | "off" | undefined;
  /** What to do when the list of revoked tokens was not confirmed for 15 seconds; "accept" unless given. */
  onStale?: "accept" | "refuse" | undefined;
  /** Where the keys are; `/.well-known/jwks.json` below the issuer unless given. */
  jwksUrl?: string | URL | undefined;
  /** Where the list is; `/.well-known/revoked` below the issuer unless given. */
  revokedUrl?: string | URL | undefined;
  /** How far the clocks may be apart, in seconds; 5 unless given. */
  clockToleranceSeconds?: number | undefined;
  /** How long the issuer may take to answer, in ms; 3,000 unless given. */
  timeoutMs?: number | undefined;
  /**
   * Reads the claim `metadata`; `JSON` unless given. JSON.parse changes numbers above 2^53: pass a library that keeps
   * their digits.
   */
  json?: Parser | undefined;
  /** Replaces the global `fetch`, for example by that of a service binding. */
  fetch?: Fetch | undefined;
  /** The time in Unix ms; `Date.now` unless given. */
  now?: (() => number) | undefined;
}

export interface CheckedOptions {
  issuer: string;
  audience: string;
  polls: boolean;
  refusesStale: boolean;
  keys: Source;
  list: Source;
  toleranceSeconds: number;
  json: Parser;
  now: () => number;
}

/** Throws TypeError for an option that is missing or out of range. */
export function checkOptions(options: SessionVerifierOptions): CheckedOptions {
  const { issuer, audience, revocation = "poll", onStale = "accept", clockToleranceSeconds = 5 } = options;
  const { timeoutMs = 3_000, now = Date.now, json = JSON, fetch: given } = options;
  require(isText(issuer), "issuer must be the iss of the tokens.");
  require(isText(audience), "audience must be the aud of the tokens.");
  require(revocation === "poll" || revocation === "off", 'revocation must be "poll" or "off".');
  require(onStale === "accept" || onStale === "refuse", 'onStale must be "accept" or "refuse".');
  require(isAtLeast(clockToleranceSeconds, 0), "clockToleranceSeconds must be 0 or more.");
  require(isAtLeast(timeoutMs, 1), "timeoutMs must be 1 or more.");
  require(given === undefined || typeof given === "function", "fetch must be a function.");
  require(typeof json?.parse === "function", "json.parse must be a function.");
  require(typeof now === "function", "now must be a function.");
  const below = (path: string) => `${issuer.replace(/\/$/, "")}/.well-known/${path}`;
  const send: Fetch = given ?? ((url, init) => fetch(url, init));
  const source = (name: string, url: string | URL, maxBytes: number): Source => {
    return { url: checkUrl(name, url, given !== undefined), fetch: send, timeoutMs, maxBytes };
  };
  const polls = revocation === "poll";
  return {
    issuer,
    audience,
    polls,
    refusesStale: onStale === "refuse",
    keys: source("jwksUrl", options.jwksUrl ?? below("jwks.json"), MAX_KEY_SET_BYTES),
    list: polls
      ? source("revokedUrl", options.revokedUrl ?? below("revoked"), MAX_LIST_BYTES)
      : { url: "", fetch: send, timeoutMs, maxBytes: 0 },
    toleranceSeconds: clockToleranceSeconds,
    json,
    now,
  };
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isAtLeast = (value: unknown, least: number): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= least;

function require(condition: boolean, message: string): void {
  if (!condition) throw new TypeError(message);
}

/**
 * Keys must come over https: whoever alters them in transit can forge tokens. A caller with its own `fetch` answers for
 * its transport.
 */
function checkUrl(name: string, url: string | URL, hasOwnFetch: boolean): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new TypeError(`${name} must be a URL, because the issuer is not one.`);
  }
  const { protocol, hostname, href } = parsed;
  const isSafe = protocol === "https:" || (protocol === "http:" && (hasOwnFetch || LOOPBACK.test(hostname)));
  require(isSafe, `${name} must be https.`);
  return href;
}
