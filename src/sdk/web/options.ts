/** The options of a web session, checked. */
import type { Fetch } from "../session/request";

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const MIN_SECRET_CHARACTERS = 32;
const DAY_SECONDS = 86_400;

/** Where an app with several processes notes which sign-ins have ended, such as a Redis that all of them use. */
export interface LogoutNotes {
  /** Keeps a value for so many seconds, or longer. */
  set(key: string, value: string, seconds: number): Promise<unknown>;
  get(key: string): Promise<string | null | undefined>;
}

export interface WebSessionOptions {
  /** The OpenID Connect provider, such as `https://postern.example.com`. */
  issuer: string;
  clientId: string;
  /** Missing for a client without one. */
  clientSecret?: string | undefined;
  /** How the client shows its secret: `client_secret_basic` unless given. Postern takes both. */
  clientAuth?: "client_secret_basic" | "client_secret_post" | undefined;
  /** At least 32 random characters, which seal the cookies. Changing it signs everybody out. */
  secret: string;
  /** What the app asks for; `openid profile email tenant offline_access` unless given. */
  scope?: string | undefined;
  /** Where browsers reach the app, such as `https://shop.example.com`, if requests do not say so themselves. */
  origin?: string | undefined;
  /** Below which path `handle` answers; `/auth` unless given. */
  basePath?: string | undefined;
  /** Where people are after they have signed out; `/` unless given. The provider must know the whole URL. */
  afterSignOut?: string | undefined;
  /** How long people stay signed in at most, in seconds; 30 days unless given. */
  maxAgeSeconds?: number | undefined;
  /** What a role may do in the app, for `require` with a permission. */
  permissionsOf?: ((role: string) => readonly string[]) | undefined;
  /** "poll" unless given: asks Postern every two seconds what has ended. Other providers have no such list. */
  revocation?: "poll" | "off" | undefined;
  /** Where it is noted what back-channel logout ends: in this process unless given. */
  logoutNotes?: LogoutNotes | undefined;
  /** How long the provider may take to answer, in ms; 5,000 unless given. */
  timeoutMs?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: Fetch | undefined;
  /** The time in Unix ms; `Date.now` unless given. */
  now?: (() => number) | undefined;
}

export interface Settings {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  isSecretInBody: boolean;
  secret: string;
  scope: string;
  origin: string | null;
  basePath: string;
  afterSignOut: string;
  maxAgeMs: number;
  permissionsOf: (role: string) => readonly string[];
  polls: boolean;
  logoutNotes: LogoutNotes | null;
  timeoutMs: number;
  fetch: Fetch;
  now: () => number;
}

/** Throws TypeError for an option that is missing or out of range. */
export function checkWebOptions(options: WebSessionOptions): Settings {
  const { issuer, clientId, clientSecret, secret, origin, basePath = "/auth", afterSignOut = "/" } = options;
  const { scope = "openid profile email tenant offline_access", maxAgeSeconds = 30 * DAY_SECONDS } = options;
  const { permissionsOf = () => [], revocation = "poll", timeoutMs = 5_000, now = Date.now, fetch: given } = options;
  require(isSafeOrigin(issuer, given !== undefined), "issuer must be an https URL.");
  require(typeof clientId === "string" && clientId !== "", "clientId must be the id of the client.");
  require(typeof secret === "string" && secret.length >= MIN_SECRET_CHARACTERS, "secret must have 32 characters.");
  require(scope.split(" ").includes("openid"), "scope must have openid.");
  require(origin === undefined || parse(origin)?.origin === origin, "origin must be an origin, without a path.");
  require(/^\/[\w/-]*[\w-]$/.test(basePath), "basePath must be a path such as /auth.");
  require(isOwnPath(afterSignOut), "afterSignOut must be a path of the app.");
  require(Number.isFinite(maxAgeSeconds) && maxAgeSeconds > 0, "maxAgeSeconds must be more than 0.");
  return {
    issuer,
    clientId,
    clientSecret: clientSecret ?? null,
    isSecretInBody: clientSecret === undefined || options.clientAuth === "client_secret_post",
    secret,
    scope,
    origin: origin ?? null,
    basePath,
    afterSignOut,
    maxAgeMs: maxAgeSeconds * 1000,
    permissionsOf,
    polls: revocation === "poll",
    logoutNotes: options.logoutNotes ?? null,
    timeoutMs,
    fetch: given ?? ((url, init) => fetch(url, init)),
    now,
  };
}

function require(condition: boolean, message: string): void {
  if (!condition) throw new TypeError(message);
}

/** `URL.parse`, which Node 20 does not have. */
function parse(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

/** A caller with its own `fetch` answers for its transport. */
function isSafeOrigin(issuer: string, hasOwnFetch: boolean): boolean {
  const url = parse(issuer);
  return url?.protocol === "https:" || (url?.protocol === "http:" && (hasOwnFetch || LOOPBACK.test(url.hostname)));
}

/** Whether a path stays within the app: browsers read `//`, `/\` and control characters in ways of their own. */
export const isOwnPath = (path: string): boolean => /^\/(?![/\\])[!#-[\]-~]*$/.test(path);
