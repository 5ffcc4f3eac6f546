/** A browser without rendering: it keeps cookies and posts forms with the headers that browsers send. */
import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { createDeps } from "../../src/base/deps";
import { signConsoleToken } from "../../src/base/signers/jwt";
import { newAddress, PASSWORD, type Person, verify } from "./client";

export const ORIGIN = "http://postern.test";

interface Page {
  status: number;
  headers: Headers;
  html: string;
  /** Where a redirect leads. */
  location: string | null;
  /** `Set-Cookie` lines. */
  cookies: string[];
}

export interface ConsoleBrowser {
  get(path: string, headers?: Record<string, string>): Promise<Page>;
  /** Posts a form. A list repeats a field. */
  post(path: string, fields?: Record<string, string | string[]>, headers?: Record<string, string>): Promise<Page>;
  /** Follows redirects to the last page. */
  follow(page: Page): Promise<Page>;
  jar: Map<string, string>;
  /** The IP address that its requests come from. */
  address: string;
}

/** A new browser with an IP address of its own. Paths are relative to `/console`. */
export function visit(origin = ORIGIN): ConsoleBrowser {
  const jar = new Map<string, string>();
  const address = newAddress();
  const send = async (method: string, path: string, body: string | null, given: Record<string, string>) => {
    const headers = new Headers({ "cf-connecting-ip": address, ...given });
    if (jar.size > 0) headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await exports.default.fetch(
      new Request(`${origin}/console${path}`, { method, headers, body, redirect: "manual" }),
    );
    const cookies = response.headers.getSetCookie();
    for (const line of cookies) keep(jar, line);
    const { status } = response;
    return {
      status,
      headers: response.headers,
      html: await response.text(),
      location: response.headers.get("location"),
      cookies,
    };
  };
  const get: ConsoleBrowser["get"] = (path, headers = {}) => send("GET", path, null, headers);
  return {
    jar,
    address,
    get,
    post: (path, fields = {}, headers = {}) =>
      send("POST", path, encode(fields), {
        origin,
        "content-type": "application/x-www-form-urlencoded",
        ...headers,
      }),
    async follow(page) {
      let reached = page;
      while (reached.location !== null) reached = await get(reached.location.replace(/^\/console/, ""));
      return reached;
    },
  };
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = ""] = line.split(";");
  const at = pair.indexOf("=");
  const name = pair.slice(0, at);
  if (/max-age=0/i.test(line)) jar.delete(name);
  else jar.set(name, pair.slice(at + 1));
}

function encode(fields: Record<string, string | string[]>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) form.append(name, one);
  }
  return form.toString();
}

/** A browser in which a person has signed in. */
export async function signedIn(person: Person, password = PASSWORD): Promise<ConsoleBrowser> {
  await verify(person.email);
  const browser = visit();
  const answer = await browser.post("/sign-in", { email: person.email, password });
  if (answer.status !== 303) throw new Error(`sign-in answered ${answer.status}`);
  return browser;
}

/** A browser with the session of a person's access token, which saves a sign-in. Its cookie is `ageMs` old. */
export async function holding(person: Person, ageMs = 0): Promise<ConsoleBrowser> {
  const deps = await createDeps(env, createExecutionContext());
  const { sid, tid, sub } = decodeJwt<{ sid: string; tid: string; sub: string }>(person.token);
  const validity = { issuedAt: deps.now() - ageMs, expiresAt: deps.now() + 3_600_000 };
  const claims = { userId: sub, sessionId: sid, tenantId: tid };
  const browser = visit();
  browser.jar.set("__Host-postern-session", await signConsoleToken(deps, claims, validity));
  return browser;
}
