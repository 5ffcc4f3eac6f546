/** `postern/web` with a provider that is not ours: oidc-provider, over HTTP. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWebSession, type WebSessions } from "../../src/sdk/web/index.ts";
import { CLIENT, type Issuer, startIssuer } from "../browser/issuer.ts";

const ORIGIN = "http://localhost:9";
let issuer: Issuer;

beforeAll(async () => {
  issuer = await startIssuer(`${ORIGIN}/auth/callback`);
});
afterAll(() => issuer.close());

/** The cookies of a browser, of whatever host of this machine. */
const jar = new Map<string, string>();
const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
function take({ headers }: { headers: Headers }): void {
  for (const line of headers.getSetCookie()) {
    const [, name = "", value = ""] = line.match(/^([^=]+)=([^;]*)/) ?? [];
    jar.set(name, value);
  }
}

/** Follows redirects until the browser would leave the provider, or a page is shown. */
async function follow(url: string): Promise<string> {
  const response = await fetch(url, { redirect: "manual", headers: { cookie: cookie() } });
  take(response);
  const next = response.headers.get("location");
  if (next === null) return url;
  const target = new URL(next, url).href;
  return target.startsWith(ORIGIN) ? target : follow(target);
}

let nowMs = Date.now();
let renewals = 0;
let web: WebSessions;
const request = (path: string, init: RequestInit = {}) =>
  new Request(`${ORIGIN}${path}`, { ...init, headers: { cookie: cookie(), ...init.headers } });

beforeAll(() => {
  web = createWebSession({
    issuer: issuer.url,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    clientAuth: "client_secret_post",
    secret: "a secret of the app, which nobody knows",
    scope: "openid email profile",
    now: () => nowMs,
    fetch: (url, init) => {
      if (String(init.body).includes("grant_type=refresh_token")) renewals += 1;
      return fetch(url, init);
    },
  });
});

test("somebody signs in and is known", async () => {
  const begun = await web.handle(request("/auth/sign-in?returnTo=/orders"));
  take(begun ?? new Response());
  const interaction = await follow(begun?.headers.get("location") ?? "");
  const callback = new URL(await follow(`${interaction}?login=ada@example.com`));
  const done = await web.handle(request(callback.pathname + callback.search));
  expect([done?.status, done?.headers.get("location")]).toEqual([303, "/orders"]);
  take(done ?? new Response());
  const { session } = await web.session(request("/"));
  expect(session).toMatchObject({ userId: "ada@example.com", email: "ada@example.com", name: "Ada", tenant: null });
});

test("requests at once renew a session once, and late ones with the former cookie not again", async () => {
  nowMs += 61_000;
  const found = await Promise.all(Array.from({ length: 20 }, () => web.session(request("/"))));
  const late = await web.session(request("/"));
  expect([...found, late].every(({ session }) => session?.email === "ada@example.com")).toBe(true);
  expect(renewals).toBe(1);
  take(late);
  expect([(await web.session(request("/"))).session?.name, renewals]).toEqual(["Ada", 1]);
});

test("a sign-out leads to the provider", async () => {
  const out = await web.handle(request("/auth/sign-out", { method: "POST", headers: { origin: ORIGIN } }));
  expect(out?.headers.get("location")).toContain("/session/end?");
});
