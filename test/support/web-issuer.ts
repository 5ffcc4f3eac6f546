/** A provider for `postern/web` whose tokens say whatever a test wants, signed by jose. */
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { createWebSession, type WebSessionOptions } from "../../src/sdk/web";

const ISSUER = "https://login.example";
export const ORIGIN = "https://shop.example";
export const CLIENT_ID = "shop";
const SECRET = "a secret of the shop, which nobody knows";

const pair = await generateKeyPair("ES256", { extractable: true });
const jwk = { ...(await exportJWK(pair.publicKey)), kid: "k", alg: "ES256", use: "sig" };

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** Signs claims; those of an ID token unless they are changed. */
export const tokenOf = (claims: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> =>
  new SignJWT({ iss: ISSUER, aud: CLIENT_ID, iat: nowSeconds(), exp: nowSeconds() + 120, ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "k", typ: "JWT", ...header })
    .sign(pair.privateKey);

const DOCUMENT = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
};

/** The cookies of a browser at the app. */
export class Jar {
  readonly cookies = new Map<string, string>();
  readonly lines: string[] = [];
  request(path: string, init: RequestInit = {}): Request {
    const headers = new Headers(init.headers);
    headers.set("cookie", [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    return new Request(`${ORIGIN}${path}`, { ...init, headers });
  }
  take({ headers }: { headers: Headers }): void {
    for (const line of headers.getSetCookie()) {
      this.lines.push(line);
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      if (line.includes("Max-Age=0")) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }
}

/** An app at this provider, and what signs somebody of these claims in. */
export function newWebApp(options: Partial<WebSessionOptions> = {}) {
  let idToken = "";
  const fetch = async (url: string): Promise<Response> => {
    if (url.endsWith("/jwks")) return Response.json({ keys: [jwk] });
    return Response.json(url.endsWith("/token") ? { access_token: "a", id_token: idToken } : DOCUMENT);
  };
  const web = createWebSession({
    ...{ issuer: ISSUER, clientId: CLIENT_ID, clientSecret: "s", secret: SECRET, origin: ORIGIN, fetch },
    ...options,
  });
  const signIn = async (claims: Record<string, unknown>, jar = new Jar()): Promise<Jar> => {
    const begun = await web.handle(jar.request("/auth/sign-in"));
    jar.take(begun ?? new Response());
    const { searchParams } = new URL(begun?.headers.get("location") ?? "");
    idToken = await tokenOf({ nonce: searchParams.get("nonce"), email: "ada@example.com", ...claims });
    const query = new URLSearchParams({ code: "c", state: searchParams.get("state") ?? "" });
    jar.take((await web.handle(jar.request(`/auth/callback?${query}`))) ?? new Response());
    return jar;
  };
  const isIn = async (jar: Jar): Promise<boolean> => (await web.session(jar.request("/"))).session !== null;
  return { web, signIn, isIn };
}
