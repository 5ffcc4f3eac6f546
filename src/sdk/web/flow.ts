/** Signing in and out: what the app sends to the provider, and what it does with the answer. */
import { utf8 } from "../../base/crypto/encoding";
import { toBase64Url } from "../base64url";
import type { CookieJar } from "./cookies";
import { isOwnPath, type Settings } from "./options";
import { type Provider, TokenRefused } from "./provider";
import type { Seal } from "./seal";
import { type StoredSession, storedOf } from "./stored";

/** Each sign-in has a cookie of its own: a browser that opens again has several tabs that begin one. */
const FLOW_COOKIE = "sign-in";
const FLOW_SECONDS = 1_800;
const STATE = /^[\w-]{43}$/;
/** Beyond these, those that were begun before are forgotten. */
const MOST_FLOWS = 8;

/** What the browser keeps until it comes back. */
interface Flow {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  expiresAt: number;
}

interface FlowContext {
  settings: Settings;
  provider: Provider;
  seal: Seal;
  /** Where browsers reach the app. */
  origin: string;
  jar: CookieJar;
}

const random = () => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
const callbackOf = ({ settings, origin }: FlowContext) => `${origin}${settings.basePath}/callback`;

export const redirect = (location: string, cookies: readonly string[] = []): Response => {
  const headers = new Headers({ location, "cache-control": "no-store" });
  for (const line of cookies) headers.append("set-cookie", line);
  return new Response(null, { status: 303, headers });
};

/** Sends the browser to the provider. */
export async function beginSignIn(context: FlowContext, query: URLSearchParams): Promise<Response> {
  const { settings, provider, seal, jar } = context;
  const { endpoints } = await provider.discover();
  const asked = query.get("returnTo") ?? "/";
  const flow: Flow = {
    state: random(),
    nonce: random(),
    verifier: random(),
    returnTo: isOwnPath(asked) ? asked : "/",
    expiresAt: settings.now() + FLOW_SECONDS * 1000,
  };
  const digest = await crypto.subtle.digest("SHA-256", utf8(flow.verifier));
  const url = new URL(endpoints.authorization_endpoint);
  const params = {
    client_id: settings.clientId,
    redirect_uri: callbackOf(context),
    response_type: "code",
    scope: settings.scope,
    state: flow.state,
    nonce: flow.nonce,
    code_challenge: toBase64Url(new Uint8Array(digest)),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  for (const name of ["prompt", "tenant", "login_hint"]) {
    const value = query.get(name);
    if (value !== null) url.searchParams.set(name, value);
  }
  const begun = jar.names(FLOW_COOKIE);
  const forgotten = begun.length < MOST_FLOWS ? [] : begun.flatMap((name) => jar.remove(name));
  const kept = jar.set(cookieOf(flow.state), await seal.seal(FLOW_COOKIE, flow), FLOW_SECONDS);
  return redirect(url.href, [...forgotten, ...kept]);
}

const cookieOf = (state: string): string => `${FLOW_COOKIE}-${STATE.test(state) ? state.slice(0, 8) : ""}`;

/** The session that the provider's answer gives, and where the person wanted to go; or why there is none. */
export type SignedIn = { session: StoredSession; returnTo: string } | { error: string };

export async function endSignIn(context: FlowContext, query: URLSearchParams): Promise<SignedIn> {
  const { settings, provider, seal, jar } = context;
  const state = query.get("state") ?? "";
  const flow = await seal.open<Flow>(FLOW_COOKIE, jar.get(cookieOf(state)) ?? "");
  const isOurs = flow !== null && flow.expiresAt > settings.now() && state === flow.state;
  if (!isOurs) return { error: "expired" };
  if (!(await isOfProvider(context, query.get("iss")))) return { error: "wrong_issuer" };
  const [error, code] = [query.get("error"), query.get("code")];
  if (error !== null || code === null) return { error: error ?? "no_code" };
  try {
    const tokens = await provider.requestTokens({
      grant_type: "authorization_code",
      code,
      redirect_uri: callbackOf(context),
      code_verifier: flow.verifier,
    });
    if (tokens.id_token === undefined) return { error: "no_id_token" };
    const said = await provider.readIdToken(tokens.id_token, flow.nonce);
    // Some providers say in userinfo alone what the scopes ask for (OpenID Connect Core 5.4).
    const isBrief = !["email", "name", "tid"].some((name) => name in said);
    const more = isBrief ? await provider.readUserinfo(tokens.access_token, String(said.sub)) : {};
    const claims = { ...more, ...said };
    return { session: storedOf(tokens, tokens.id_token, claims, settings.now()), returnTo: flow.returnTo };
  } catch (failure) {
    if (failure instanceof TokenRefused) return { error: failure.code };
    throw failure;
  }
}

/** RFC 9207: the answer must be of the provider that was asked, which says so if it can. */
async function isOfProvider({ settings, provider }: FlowContext, issuer: string | null): Promise<boolean> {
  if (issuer !== null) return issuer === settings.issuer;
  return (await provider.discover()).endpoints.authorization_response_iss_parameter_supported !== true;
}

/** The lines that forget what was kept for this callback. */
export const forgetFlow = (jar: CookieJar, query: URLSearchParams): string[] =>
  jar.remove(cookieOf(query.get("state") ?? ""));

/** Where the browser goes to sign out of the provider too, unless that is out of reach. */
export async function signOutAddress(
  { settings, provider, origin }: Pick<FlowContext, "settings" | "provider" | "origin">,
  session: StoredSession | null,
): Promise<string> {
  const after = `${origin}${settings.afterSignOut}`;
  const discovered = await provider.discover().catch(() => null);
  const endpoint = discovered?.endpoints.end_session_endpoint;
  if (endpoint === undefined || !session) return settings.afterSignOut;
  const url = new URL(endpoint);
  url.searchParams.set("id_token_hint", session.idToken);
  url.searchParams.set("client_id", settings.clientId);
  url.searchParams.set("post_logout_redirect_uri", after);
  return url.href;
}
