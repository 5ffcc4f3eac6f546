/** `postern/web` on this service: an app's whole sign-in, its session and what ends it. */
import { exports } from "cloudflare:workers";
import { base64url } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { createWebSession, forNode, type WebSessionOptions } from "../../src/sdk/web";
import { type App, Browser, type Flow, forgetClientsKey, ISSUER, newApp, signInTo } from "../support/apps";
import { call, eventually, newAddress, type Person, signUpVerified } from "../support/client";
import { joinTenant } from "../support/people";
import { Jar, newWebApp, ORIGIN } from "../support/web-issuer";

const SECRET = "a secret of the shop, which nobody knows";
/** The clock of the tests runs ahead of that of the service. */
const REDIRECTS = { idTokenSeconds: 3600, redirectUrls: [`${ORIGIN}/auth/callback`], postLogoutUrls: [`${ORIGIN}/`] };

let app: App;
let person: Person;
let asked: string[] = [];

const reach = (url: string, init: RequestInit) => {
  asked.push(`${init.method ?? "GET"} ${new URL(url).pathname}`);
  const headers = new Headers(init.headers);
  headers.set("cf-connecting-ip", newAddress());
  return exports.default.fetch(new Request(url, { ...init, headers } as RequestInit));
};

const webOf = (changes: Partial<WebSessionOptions> = {}) =>
  createWebSession({
    issuer: ISSUER,
    clientId: app.id,
    clientSecret: app.secret,
    secret: SECRET,
    fetch: reach,
    ...changes,
  });

beforeAll(async () => {
  forgetClientsKey();
  [app, person] = [await newApp(REDIRECTS), await signUpVerified()];
});

/** What `signInTo` follows: the address alone. */
const flowOf = (url: string): Flow => ({ url }) as Flow;

/** Signs a person in to the app. */
async function signedIn(
  web = webOf(),
  by: Person = person,
  path = "/orders?page=2",
  change: (answered: URL) => void = () => {},
) {
  const jar = new Jar();
  const begun = await web.handle(jar.request(`/auth/sign-in?${new URLSearchParams({ returnTo: path })}`));
  jar.take(begun ?? new Response());
  const flow = flowOf(begun?.headers.get("location") ?? "");
  const answered = await signInTo(flow, by, new Browser());
  change(answered);
  const done = await web.handle(jar.request(answered.pathname + answered.search));
  jar.take(done ?? new Response());
  return { web, jar, done, answered };
}

describe("a sign-in", () => {
  test("leads back to the page, and the session says who it is", async () => {
    const { web, jar, done } = await signedIn(
      webOf({ permissionsOf: (role) => (role === "owner" ? ["order.pay"] : []) }),
    );
    expect([done?.status, done?.headers.get("location")]).toEqual([303, "/orders?page=2"]);
    expect([...jar.cookies.keys()].every((name) => name.startsWith("__Host-session."))).toBe(true);
    const { session } = await web.session(jar.request("/"));
    expect(session).toMatchObject({ userId: person.userId, email: person.email, emailVerified: true, role: "owner" });
    expect([session?.tenant?.id, session?.permissions]).toEqual([person.tenantId, ["order.pay"]]);
    const [line = ""] = jar.lines.filter((one) => one.startsWith("__Host-session.0="));
    // Time passes between the sign-in and its cookie, so the last digits of the 2,592,000 s are open.
    expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=25(92000|919\d\d)$/);
    const [iv = "", sealed = ""] = (jar.cookies.get("__Host-session.0") ?? "").split(".");
    const readable = new TextDecoder().decode(base64url.decode(iv + sealed)) + [...jar.cookies.values()].join();
    for (const secret of [person.email, person.userId, "por_"]) expect(readable).not.toContain(secret);
  });

  test("with a long ID token is kept in several cookies, and shorter ones leave nothing behind", async () => {
    const { signIn, isIn } = newWebApp();
    const jar = await signIn({ sub: "ada", groups: "g".repeat(3_000) });
    expect([jar.cookies.size > 2, await isIn(jar)]).toEqual([true, true]);
    expect(Math.max(...jar.lines.map(({ length }) => length))).toBeLessThan(4_096);
    await signIn({ sub: "ada" }, jar);
    expect([jar.cookies.size, await isIn(jar)]).toEqual([1, true]);
    await expect(signIn({ sub: "ada", groups: "g".repeat(6_000) })).rejects.toThrow("too long for cookies");
  });

  test.each(["//evil.example", "/\\evil.example", "https://evil.example/", "/\tevil", ""])(
    "returns to no other place than the app: %j",
    async (path) => {
      expect((await signedIn(webOf(), person, path)).done?.headers.get("location")).toBe("/");
    },
  );

  test("takes no answer of another browser, another provider, or twice", async () => {
    const { web, jar, answered } = await signedIn();
    const path = answered.pathname + answered.search;
    expect((await web.handle(jar.request(path)))?.status).toBe(400);
    expect((await web.handle(new Jar().request(path)))?.status).toBe(400);
    const begun = new Jar();
    const asks = await web.handle(begun.request("/auth/sign-in"));
    begun.take(asks ?? new Response());
    expect((await web.handle(begun.request(`${path}&iss=https://evil.example`)))?.status).toBe(400);
    const nameless = await signedIn(web, person, "/", ({ searchParams }) => searchParams.delete("iss"));
    expect(await nameless.done?.text()).toContain("wrong_issuer");
    const state = new URL(asks?.headers.get("location") ?? "").searchParams.get("state");
    const denied = await web.handle(begun.request(`/auth/callback?error=access_denied&state=${state}`));
    expect([denied?.status, denied?.headers.getSetCookie().join()]).toEqual([
      400,
      expect.stringContaining("Max-Age=0"),
    ]);
  });
});

test("several tabs sign in at once, and a browser keeps few of the sign-ins that it has begun", async () => {
  const [web, jar, browser] = [webOf(), new Jar(), new Browser()];
  const begin = async () => {
    const begun = await web.handle(jar.request("/auth/sign-in?returnTo=/orders"));
    jar.take(begun ?? new Response());
    return begun?.headers.get("location") ?? "";
  };
  const answered = [];
  for (const url of [await begin(), await begin()]) {
    answered.push(await signInTo(flowOf(url), person, browser));
  }
  for (const { pathname, search } of answered) {
    const done = await web.handle(jar.request(pathname + search));
    jar.take(done ?? new Response());
    expect(done?.headers.get("location")).toBe("/orders");
  }
  for (let times = 0; times < 20; times += 1) await begin();
  expect(jar.cookies.size).toBeLessThan(12);
});

describe("a session", () => {
  test("is renewed once for parallel requests, and the former cookie still works", async () => {
    let nowMs = Date.now();
    const { web, jar } = await signedIn(webOf({ now: () => nowMs, revocation: "off" }));
    nowMs += 901_000;
    asked = [];
    const found = await Promise.all(Array.from({ length: 10 }, () => web.session(jar.request("/"))));
    expect(found.every(({ session }) => session?.userId === person.userId)).toBe(true);
    expect(found.every(({ headers }) => headers.getSetCookie().length > 0)).toBe(true);
    expect((await web.session(jar.request("/"))).session).not.toBeNull();
    jar.take(found[0] ?? new Response());
    asked = [];
    expect((await web.session(jar.request("/"))).session).not.toBeNull();
    expect(asked).toEqual([]);
  });

  test("goes on after an answer to its renewal was lost", async () => {
    let [nowMs, isLost] = [Date.now(), false];
    const fetch: typeof reach = async (url, init) => {
      const answer = await reach(url, init);
      if (!isLost || !url.endsWith("/oauth/token")) return answer;
      isLost = false;
      throw new TypeError("The connection was lost.");
    };
    const { web, jar } = await signedIn(webOf({ now: () => nowMs, revocation: "off", fetch }));
    [nowMs, isLost] = [nowMs + 901_000, true];
    await expect(web.session(jar.request("/"))).rejects.toThrow("lost");
    const { session, headers } = await web.session(jar.request("/"));
    expect([session?.userId, headers.getSetCookie().length]).toEqual([person.userId, 1]);
  });

  test("ends within five seconds when the app is disconnected", async () => {
    const guest = await signUpVerified();
    const began = Date.now();
    let nowMs = began;
    const { web, jar } = await signedIn(webOf({ now: () => nowMs }), guest);
    expect((await web.session(jar.request("/"))).session?.role).toBe("owner");
    const [connected] = (await call("GET", "/auth/apps", { token: guest.token })).body.data;
    await call("DELETE", `/auth/apps/${connected.id}`, { token: guest.token });
    const { headers } = await eventually("the list names it", async () => {
      // The list is asked again each time, and the tokens stay fresh.
      nowMs = nowMs === began + 5_000 ? began + 2_500 : began + 5_000;
      const found = await web.session(jar.request("/"));
      return found.session === null && found;
    });
    expect(headers.getSetCookie().join()).toContain("Max-Age=0");
  });

  test("has another role within five seconds after it was changed", async () => {
    const owner = await signUpVerified();
    const member = await joinTenant(owner, "viewer");
    const began = Date.now();
    let nowMs = began;
    const { web, jar } = await signedIn(webOf({ now: () => nowMs }), member);
    expect((await web.session(jar.request("/"))).session?.role).toBe("viewer");
    await call("PATCH", `/members/${member.userId}`, { token: owner.token, body: { role: "developer" } });
    await eventually("the session says so", async () => {
      nowMs = nowMs === began + 5_000 ? began + 2_500 : began + 5_000;
      const found = await web.session(jar.request("/"));
      jar.take(new Response(null, { headers: found.headers }));
      return found.session?.role === "developer";
    });
  });

  test("of another secret, or changed, is nobody's", async () => {
    const { jar } = await signedIn();
    expect((await webOf({ secret: `${SECRET}!` }).session(jar.request("/"))).session).toBeNull();
    const [name = "", value = ""] = [...jar.cookies][0] ?? [];
    // Not one of the last characters, whose bits may count for nothing.
    jar.cookies.set(name, `${value.slice(0, -10)}${value.at(-10) === "A" ? "B" : "A"}${value.slice(-9)}`);
    expect((await webOf().session(jar.request("/"))).session).toBeNull();
  });
});

describe("require", () => {
  const page = { headers: { accept: "text/html" } };
  const statusOf = (found: object) => (found instanceof Response ? found.status : 200);

  test("lets through who has the role, and answers everybody else", async () => {
    const { web, jar } = await signedIn();
    expect(statusOf(await web.require(jar.request("/"), { role: ["owner", "admin"] }))).toBe(200);
    expect(statusOf(await web.require(jar.request("/"), { role: "viewer" }))).toBe(403);
    expect(statusOf(await web.require(jar.request("/"), { permission: "order.pay" }))).toBe(403);
    const stranger = await web.require(new Jar().request("/orders", page));
    expect(stranger instanceof Response && stranger.headers.get("location")).toBe("/auth/sign-in?returnTo=%2Forders");
    expect(statusOf(await web.require(new Jar().request("/api")))).toBe(401);
  });

  test.each<[what: string, headers: Record<string, string>, status: number]>([
    ["the app", { origin: ORIGIN }, 200],
    ["the app, without a name", { origin: "null", "sec-fetch-site": "same-origin" }, 200],
    ["another site", { origin: "https://evil.example" }, 403],
    ["another host of the site", { origin: ORIGIN, "sec-fetch-site": "same-site" }, 403],
    ["nobody knows where", {}, 403],
  ])("takes what writes from the app alone: %s", async (_what, headers, status) => {
    const { web, jar } = await signedIn();
    expect(statusOf(await web.require(jar.request("/orders", { method: "POST", headers })))).toBe(status);
  });
});

test("a sign-out ends the session here and at the provider, by a form of the app", async () => {
  const { web, jar } = await signedIn();
  expect((await web.handle(jar.request("/auth/sign-out")))?.status).toBe(403);
  const out = await web.handle(jar.request("/auth/sign-out", { method: "POST", headers: { origin: ORIGIN } }));
  const url = new URL(out?.headers.get("location") ?? "");
  expect([url.origin + url.pathname, url.searchParams.get("post_logout_redirect_uri")]).toEqual([
    `${ISSUER}/oauth/logout`,
    `${ORIGIN}/`,
  ]);
  const left = await new Browser().open(url.href);
  expect([left.status, left.next]).toEqual([303, `${ORIGIN}/`]);
  jar.take(out ?? new Response());
  expect((await web.session(jar.request("/"))).session).toBeNull();
});

test("a sign-out ends the session here when the provider does not answer", async () => {
  const { jar } = await signedIn();
  const cut = webOf({ fetch: () => Promise.reject(new TypeError("down")) });
  const out = await cut.handle(jar.request("/auth/sign-out", { method: "POST", headers: { origin: ORIGIN } }));
  expect([out?.status, out?.headers.get("location")]).toEqual([303, "/"]);
  expect(out?.headers.getSetCookie().join()).toContain("Max-Age=0");
});

test("Node's requests are served by the adapter", async () => {
  const { web, jar } = await signedIn(webOf({ origin: ORIGIN }));
  const node = forNode(web);
  const answered = () => {
    const headers: [string, unknown][] = [];
    return {
      headers,
      statusCode: 200,
      appendHeader: (...header: [string, unknown]) => headers.push(header),
      end: () => 0,
    };
  };
  const cookie = jar.request("/").headers.get("cookie") ?? "";
  const request = { method: "GET", url: "/", headers: { host: "shop.example", cookie } };
  expect((await node.session(request, answered()))?.email).toBe(person.email);
  const response = answered();
  expect(await node.require({ ...request, headers: { host: "shop.example" } }, response)).toBeNull();
  expect(response.statusCode).toBe(401);
  let passed = 0;
  expect([await node.handle(request, answered(), () => (passed += 1)), passed]).toEqual([false, 1]);
  const begun = answered();
  expect([await node.handle({ ...request, url: "/auth/sign-in" }, begun), begun.statusCode]).toEqual([true, 303]);
});

test.each<[what: string, changes: object]>([
  ["a short secret", { secret: "short" }],
  ["http", { issuer: "http://postern.example", fetch: undefined }],
  ["no client", { clientId: "" }],
  ["a path of another host", { afterSignOut: "//evil.example" }],
  ["no openid", { scope: "email" }],
])("%s is refused", (_what, changes) => {
  expect(() => webOf(changes)).toThrow(TypeError);
});
