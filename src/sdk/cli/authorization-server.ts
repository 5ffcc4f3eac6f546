/** The service as the one that signs people in to the command line (RFC 8414, RFC 6749). */
import type { Tokens } from "./account";
import { EXIT, Failure } from "./failure";

/** The command line as an app: every service knows it. */
export const CLIENT_ID = "postern-cli";
const TIMEOUT_MS = 30_000;

/** The endpoints that the command line needs. */
export interface Endpoints {
  authorization_endpoint: string;
  token_endpoint: string;
  device_authorization_endpoint: string;
  revocation_endpoint: string;
}

const NEEDED = [
  "authorization_endpoint",
  "token_endpoint",
  "device_authorization_endpoint",
  "revocation_endpoint",
] as const satisfies readonly (keyof Endpoints)[];

/** Null where the service signs nobody in to apps. Throws Failure if it cannot be reached, or names another host. */
export async function findEndpoints(url: string): Promise<Endpoints | null> {
  const found = await ask(`${origin(url)}/.well-known/openid-configuration`);
  const named = found.status === 200 ? (found.body as Partial<Endpoints>) : {};
  if (!NEEDED.every((name) => typeof named[name] === "string")) return null;
  // What is sent there is worth as much as a password.
  if (!NEEDED.every((name) => origin(named[name] ?? "") === origin(url))) {
    throw new Failure(EXIT.failed, `${url} is not where this service signs people in. Use its own address.`);
  }
  return named as Endpoints;
}

const origin = (url: string): string => URL.parse(url)?.origin ?? "";

/** What the tokens are for: our API. */
export const resourceOf = (url: string): string => `${origin(url)}/api/v1`;

/** What the service says that the API may be asked for. */
export async function scopesOf(url: string): Promise<string> {
  const { body } = await ask(`${origin(url)}/.well-known/oauth-protected-resource/api/v1`);
  const named = body["scopes_supported"];
  return [...(Array.isArray(named) ? named.map(String) : []), "offline_access"].join(" ");
}

export interface OAuthAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** Sends a form as the command line. Throws Failure if the service cannot be reached. */
export const post = (endpoint: string, form: Record<string, string>): Promise<OAuthAnswer> =>
  ask(endpoint, { method: "POST", body: new URLSearchParams({ client_id: CLIENT_ID, ...form }) });

async function ask(url: string, init: RequestInit = {}): Promise<OAuthAnswer> {
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : {} };
  } catch {
    throw new Failure(EXIT.unreachable, `${origin(url)} was not reached, or did not answer.`);
  }
}

/** The tokens of an answer. Throws Failure for a refusal. */
export function tokensOf({ status, body }: OAuthAnswer): Tokens {
  const { access_token: access, refresh_token: refresh, expires_in: seconds, error_description: said } = body;
  if (status === 200 && typeof access === "string" && typeof refresh === "string") {
    return { access, refresh, expiresAt: Date.now() + Number(seconds) * 1000 };
  }
  throw new Failure(EXIT.notSignedIn, typeof said === "string" ? said : `The service answered ${status}.`);
}
