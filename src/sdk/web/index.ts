/**
 * `postern/web`: the session of a web app whose people sign in with Postern, or with any other OpenID Connect provider.
 * It runs wherever there are `Request` and `Response`; `postern/web` has an adapter for Node's `req` and `res` too.
 */
import { beginSignIn, endSignIn, forgetFlow, redirect, signOutAddress } from "./flow";
import { createLogouts, type Logouts } from "./logout";
import { checkWebOptions, type WebSessionOptions } from "./options";
import { createProvider } from "./provider";
import { createSeal } from "./seal";
import { createSessions, hereOf } from "./sessions";
import type { StoredSession } from "./stored";
import type { FoundSession, Needs, WebSession, WebSessions } from "./web-session";

export type { Fetch } from "../session/request";
export { forNode, type NodeRequest, type NodeResponse, type NodeWebSession } from "./node";
export type { LogoutNotes, WebSessionOptions } from "./options";
export type { FoundSession, Needs, WebSession, WebSessions } from "./web-session";

/**
 * Makes the sessions of an app. It makes no request before the first sign-in, and keeps nothing in a database. Throws
 * TypeError for an option that is missing or out of range.
 *
 * @example
 * const web = createWebSession({ issuer: "https://postern.example.com", clientId, clientSecret, secret });
 * const answer = await web.handle(request);
 * if (answer) return answer;
 * const found = await web.require(request, { role: ["owner", "admin"] });
 * if (found instanceof Response) return found;
 * return new Response(`Hello ${found.session.email}`, { headers: found.headers });
 */
export function createWebSession(options: WebSessionOptions): WebSessions {
  const settings = checkWebOptions(options);
  const { basePath, permissionsOf } = settings;
  const provider = createProvider(settings);
  const app = { settings, provider, seal: createSeal(settings.secret), logouts: createLogouts(settings, provider) };
  const sessions = createSessions(app);
  const contextOf = (request: Request) => ({ ...app, ...hereOf(settings, request) });

  const find = async (request: Request): Promise<FoundSession> => {
    const { stored, cookies } = await sessions.current(request);
    return { session: stored && viewOf(stored, permissionsOf), headers: withCookies(cookies) };
  };
  const callback = async (request: Request, query: URLSearchParams): Promise<Response> => {
    const context = contextOf(request);
    const signedIn = await endSignIn(context, query);
    const forgotten = forgetFlow(context.jar, query);
    if ("error" in signedIn) return refusal(signedIn.error, forgotten);
    return redirect(signedIn.returnTo, [...forgotten, ...(await sessions.store(request, signedIn.session))]);
  };
  const signOut = async (request: Request): Promise<Response> => {
    const context = contextOf(request);
    if (request.method !== "POST" || !isOwn(request, context.origin)) return plain(403, "Send a form of the app.");
    const stored = await sessions.read(request);
    if (stored?.refreshToken) await provider.revoke(stored.refreshToken);
    return redirect(await signOutAddress(context, stored), sessions.remove(request));
  };
  return {
    async handle(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === `${basePath}/sign-in`) return beginSignIn(contextOf(request), searchParams);
      if (pathname === `${basePath}/callback`) return callback(request, searchParams);
      if (pathname === `${basePath}/back-channel-logout`) return logOut(request, app.logouts);
      return pathname === `${basePath}/sign-out` ? signOut(request) : null;
    },
    session: find,
    async require(request, needs = {}) {
      const isWrite = !["GET", "HEAD"].includes(request.method);
      if (isWrite && !isOwn(request, contextOf(request).origin)) return plain(403, "Send it from a page of the app.");
      const { session, headers } = await find(request);
      if (!session) return signInFirst(request, basePath, headers);
      return meets(session, needs) ? { session, headers } : plain(403, "You may not do this.", headers);
    },
  };
}

/** Section 2.8 of the specification. What could not be checked or noted is to be sent again. */
async function logOut(request: Request, logouts: Logouts): Promise<Response> {
  if (request.method !== "POST") return plain(405, "The provider sends its logout tokens here.");
  try {
    const isNoted = await logouts.take(request);
    return isNoted ? plain(200, "Noted.") : plain(400, "This is no logout token for this app.");
  } catch {
    return plain(503, "Send it again.");
  }
}

function viewOf({ claims, signedInAt }: StoredSession, permissionsOf: (role: string) => readonly string[]): WebSession {
  const text = (name: string): string | null => (typeof claims[name] === "string" ? (claims[name] as string) : null);
  const [tid, role] = [text("tid"), text("role")];
  return {
    userId: text("sub") ?? "",
    email: text("email"),
    emailVerified: claims.email_verified === true,
    name: text("name"),
    externalId: text("ext"),
    tenant: tid === null ? null : { id: tid, name: text("tenant_name"), externalId: text("tenant_ext") },
    role,
    permissions: role === null ? [] : permissionsOf(role),
    signedInAt: new Date(signedInAt),
    claims,
  };
}

function meets({ role, permissions }: WebSession, needs: Needs): boolean {
  const roles = needs.role === undefined ? null : [needs.role].flat();
  const hasRole = roles === null || (role !== null && roles.includes(role));
  return hasRole && (needs.permission === undefined || permissions.includes(needs.permission));
}

/** Whether a page of the app has sent the request: browsers say it, and no page can change what they say. */
function isOwn(request: Request, origin: string): boolean {
  const site = request.headers.get("sec-fetch-site");
  const sent = request.headers.get("origin");
  if (site !== null && site !== "same-origin") return false;
  return sent === null || sent === "null" ? site === "same-origin" : sent === origin;
}

function signInFirst(request: Request, basePath: string, headers: Headers): Response {
  const { pathname, search } = new URL(request.url);
  const isPage = request.method === "GET" && (request.headers.get("accept") ?? "").includes("text/html");
  if (!isPage) return plain(401, "Sign in first.", headers);
  return redirect(
    `${basePath}/sign-in?${new URLSearchParams({ returnTo: pathname + search })}`,
    headers.getSetCookie(),
  );
}

/** The error codes of the provider are names; anything else is not repeated. */
const refusal = (error: string, cookies: readonly string[]): Response => {
  const reason = /^\w{1,60}$/.test(error) ? error : "error";
  return plain(400, `You were not signed in (${reason}).`, withCookies(cookies));
};

function plain(status: number, text: string, given = new Headers()): Response {
  const headers = new Headers(given);
  headers.set("content-type", "text/plain; charset=utf-8");
  headers.set("cache-control", "no-store");
  return new Response(`${text}\n`, { status, headers });
}

function withCookies(lines: readonly string[]): Headers {
  const headers = new Headers();
  for (const line of lines) headers.append("set-cookie", line);
  return headers;
}
