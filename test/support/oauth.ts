/** A browser on its way to a provider and back. The providers are those of provider-worker.mjs. */

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { base64url } from "jose";
import worker from "../../src";
import { type Answer, newAddress, newEmail } from "./client";

// On a busy machine, the keys take about as long to make as the service waits for a provider.
await env.RECEIVER.fetch("https://id.issuer.example/made-keys");

/** What the provider does next; see provider-worker.mjs. */
export interface Script {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  signedBy?: "own" | "foreign" | "nobody" | "the public key" | "the secret";
  userinfo?: unknown;
  user?: unknown;
  emails?: unknown;
  status?: number;
  body?: string;
}

/** Where a browser has been sent, and what it was sent with. */
interface Departure {
  url: URL;
  state: string;
  nonce: string;
  challenge: string;
}

export interface Browser {
  jar: Map<string, string>;
  send(
    method: string,
    path: string,
    options?: { body?: unknown; form?: Record<string, string>; token?: string; origin?: string },
  ): Promise<Answer & { location: string | null }>;
}

/**
 * A new browser with an address and cookies of its own. `variables` are settings and bindings of the service that
 * differ for it.
 */
export function newBrowser(variables: Record<string, unknown> = {}): Browser {
  const jar = new Map<string, string>();
  const address = newAddress();
  const send: Browser["send"] = async (method, path, { body, form, token, origin } = {}) => {
    const headers = new Headers({ "cf-connecting-ip": address });
    if (jar.size > 0) headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
    if (origin) headers.set("origin", origin);
    if (method === "OPTIONS") headers.set("access-control-request-method", "POST");
    if (token) headers.set("authorization", `Bearer ${token}`);
    if (body !== undefined) headers.set("content-type", "application/json");
    if (form) headers.set("sec-fetch-site", "same-origin");
    const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test${path}`, {
      method,
      headers,
      body: form ? new URLSearchParams(form) : body === undefined ? null : JSON.stringify(body),
      redirect: "manual",
    });
    const response = await respond(request, variables);
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      if (/max-age=0/i.test(line)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get("location"),
      body: isJson ? JSON.parse(text) : text,
    };
  };
  return { jar, send };
}

async function respond(request: Request<unknown, IncomingRequestCfProperties>, variables: Record<string, unknown>) {
  if (Object.keys(variables).length === 0) return exports.default.fetch(request);
  const context = createExecutionContext();
  const response = await worker.fetch(request, { ...env, ...variables } as Env, context);
  await waitOnExecutionContext(context);
  return response;
}

export const OAUTH = "/api/v1/auth/oauth";

/** The query of the URL that the service sends a browser to. */
export function departureOf(location: string | null): Departure {
  const url = new URL(location ?? "");
  const of = (name: string) => url.searchParams.get(name) ?? "";
  return { url, state: of("state"), nonce: of("nonce"), challenge: of("code_challenge") };
}

/** Sends a browser to a provider. */
export const depart = async (browser: Browser, provider: string, query = "") =>
  departureOf((await browser.send("GET", `${OAUTH}/${provider}${query}`)).location);

/** The claims of somebody's ID token, unless the test changes them. */
export const claimsOf = ({ nonce, url }: Departure, claims: Record<string, unknown> = {}) => ({
  iss: url.hostname === "accounts.google.com" ? url.origin : `https://${url.hostname}`,
  aud: "an-id",
  sub: `sub-${crypto.randomUUID()}`,
  iat: Math.floor(Date.now() / 1000),
  exp: Math.floor(Date.now() / 1000) + 300,
  nonce,
  ...claims,
});

/** The authorization code that makes the provider follow a script. */
export const codeFor = ({ challenge }: Departure, script: Script): string =>
  base64url.encode(JSON.stringify({ ...script, challenge }));

/** Brings a browser back from a provider. Returns where the service sends it on to. */
export async function comeBack(
  browser: Browser,
  provider: string,
  departure: Departure,
  script: Script,
  more: Record<string, string> = {},
): Promise<URL> {
  const query = new URLSearchParams({ state: departure.state, code: codeFor(departure, script), ...more });
  const { location } = await browser.send("GET", `${OAUTH}/${provider}/callback?${query}`);
  return new URL(location ?? "");
}

/** Somebody at the generic provider, with an address of their own. */
export const newPersonAtProvider = (claims: Record<string, unknown> = {}) => ({
  sub: `sub-${crypto.randomUUID()}`,
  email: newEmail(),
  email_verified: true,
  name: "Ada Lovelace",
  ...claims,
});

/** Takes somebody to the generic provider and back. Returns the code that the service gives at the end. */
export async function trip(browser: Browser, claims: Record<string, unknown>, query = ""): Promise<string> {
  const departure = await depart(browser, "oidc", query);
  const back = await comeBack(browser, "oidc", departure, { claims: claimsOf(departure, claims) });
  return back.searchParams.get("code") ?? "";
}

export const exchange = (browser: Browser, code: string, fields: Record<string, unknown> = {}) =>
  browser.send("POST", `${OAUTH}/exchange`, { body: { code, ...fields } });

/** Takes somebody to the generic provider and back, and exchanges the code. */
export const signInAs = async (
  browser: Browser,
  claims: Record<string, unknown>,
  fields: Record<string, unknown> = {},
) => exchange(browser, await trip(browser, claims), fields);
