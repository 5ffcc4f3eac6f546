/** Access to the console: sessions, cookies, protection against forged forms, and the headers of pages. */
import { describe, expect, test } from "vitest";
import { app } from "../../src/app";
import { call, newEmail, PASSWORD, setRole, signUp, verify } from "../support/client";
import { holding, ORIGIN, signedIn, visit } from "../support/console";

const PUBLIC = [
  "GET /assets/:version/:file",
  "GET /sign-in",
  "POST /sign-in",
  "GET /sign-in/passkey/options",
  "POST /sign-in/passkey",
  "GET /sign-in/code",
  "POST /sign-in/code",
  "GET /sign-in/mail",
  "POST /sign-in/mail",
  "GET /sign-in/mail/code",
  "POST /sign-in/mail/code",
  "POST /sign-in/address",
  "POST /sign-in/sign-on",
  "GET /oauth",
  "POST /oauth",
  "POST /oauth/mail-code",
  "GET /register",
  "POST /register",
  "POST /register/passkey",
  "POST /register/passkey/options",
  "GET /verify-email",
  "POST /verify-email",
  "GET /confirm-email",
  "GET /forgot-password",
  "POST /forgot-password",
  "GET /reset-password",
  "POST /reset-password",
  "GET /accept-invitation",
  "GET /not-me",
  "POST /not-me",
  "GET /confirm-email",
  "GET /remove-two-factor",
  "POST /remove-two-factor",
];
const routes = [
  ...new Set(
    app.routes
      .filter(({ method, path }) => method !== "ALL" && (path === "/console" || path.startsWith("/console/")))
      .map(({ method, path }) => `${method} ${path.slice("/console".length) || "/"}`),
  ),
];
const closed = routes.filter((route) => !PUBLIC.includes(route));
const concrete = (route: string) =>
  route.split(" ")[1]?.replaceAll(/:\w+/g, crypto.randomUUID()).replace(/^\/$/, "") ?? "";
const send = (browser: ReturnType<typeof visit>, route: string) =>
  route.startsWith("GET") ? browser.get(concrete(route)) : browser.post(concrete(route));

describe("without a session", () => {
  test("every route redirects to the sign-in page, except the public ones", async () => {
    expect(closed.length).toBeGreaterThan(30);
    expect(PUBLIC.filter((route) => !routes.includes(route))).toEqual([]);
    for (const route of closed) {
      const { status, location } = await send(visit(), route);
      expect([route, status]).toEqual([route, 303]);
      expect(location, route).toMatch(/^\/console\/sign-in(\?to=%2Fconsole%2F[\w%.-]+)?$/);
    }
  });

  test("sign-in returns to the requested page, and never to another site", async () => {
    const { email } = await signUp();
    await verify(email);
    const back = async (to: string) => (await visit().post("/sign-in", { email, password: PASSWORD, to })).location;
    expect(await back("/console/webhooks?status=failed")).toBe("/console/webhooks?status=failed");
    for (const to of [
      "https://evil.example/",
      "//evil.example",
      "/console@evil.example",
      "/console\\evil",
      "/evil",
      "",
    ]) {
      expect(await back(to)).toBe("/console");
    }
  });

  test.each([
    ["an access token", async () => (await signUp()).token],
    ["nonsense", async () => "a.b.c"],
    ["an unsigned token", async () => "eyJhbGciOiJub25lIiwidHlwIjoiY29uc29sZStqd3QifQ.e30."],
  ])("%s as the cookie is refused", async (_what, value) => {
    const browser = visit();
    browser.jar.set("__Host-postern-session", await value());
    const { status, location } = await browser.get("");
    expect([status, location]).toEqual([303, "/console/sign-in"]);
    expect(browser.jar.has("__Host-postern-session")).toBe(false);
  });
});

describe("the session cookie", () => {
  test("is __Host-, HttpOnly, Secure and SameSite=Lax, and expires with the session", async () => {
    const { email } = await signUp();
    await verify(email);
    const { cookies } = await visit().post("/sign-in", { email, password: PASSWORD });
    const line = cookies.find((cookie) => cookie.startsWith("__Host-postern-session=")) ?? "";
    const attributes = line.split("; ").slice(1);
    expect(attributes).toEqual(expect.arrayContaining(["Path=/", "HttpOnly", "Secure", "SameSite=Lax"]));
    expect(line).not.toContain("Domain");
    const ends = Date.parse(line.match(/Expires=([^;]+)/)?.[1] ?? "");
    expect(Math.round((ends - Date.now()) / 86_400_000)).toBe(30);
  });

  test.each(["http://localhost:8787", "http://127.0.0.1:8787", "http://[::1]:8787"])(
    "has no Secure attribute and no prefix on %s, and only there",
    async (origin) => {
      const browser = visit(origin);
      const { cookies } = await browser.post("/register", { email: newEmail(), password: PASSWORD });
      expect(cookies.find((line) => line.startsWith("postern-session="))).not.toContain("Secure");
      expect((await browser.get("")).status).toBe(200);
      const elsewhere = visit();
      elsewhere.jar.set("postern-session", browser.jar.get("postern-session") ?? "");
      expect((await elsewhere.get("")).status).toBe(303);
    },
  );

  test("is not accepted by the API", async () => {
    const browser = await signedIn(await signUp());
    const token = browser.jar.get("__Host-postern-session") ?? "";
    expect(token).not.toBe("");
    expect((await call("GET", "/auth/me", { token })).status).toBe(401);
  });

  test("stops working at once when the session is revoked, by the API or by signing out", async () => {
    const person = await signUp();
    const browser = await signedIn(person);
    const kept = new Map(browser.jar);
    expect((await browser.get("")).status).toBe(200);
    const left = await browser.follow(await browser.post("/sign-out"));
    expect(left.html).toContain("You are signed out.");
    const thief = visit();
    for (const [name, value] of kept) thief.jar.set(name, value);
    expect((await thief.get("")).status).toBe(303);
    const other = await signedIn(person);
    await call("POST", "/auth/logout-all", { token: person.token });
    expect((await other.get("")).status).toBe(303);
  });

  test("follows a change of role at once", async () => {
    const owner = await signUp();
    const browser = await signedIn(owner);
    expect((await browser.get("/people")).status).toBe(200);
    await setRole(owner, "viewer");
    expect((await browser.get("/people")).status).toBe(403);
  });
});

describe("a write", () => {
  const FORGED: [string, Record<string, string>][] = [
    ["from another origin", { origin: "https://evil.example" }],
    ["from a subdomain", { origin: "http://x.postern.test" }],
    ["from the same host over another scheme", { origin: "https://postern.test" }],
    ["with Sec-Fetch-Site: cross-site", { origin: ORIGIN, "sec-fetch-site": "cross-site" }],
    ["with Sec-Fetch-Site: same-site", { origin: "null", "sec-fetch-site": "same-site" }],
    ["from a sandboxed frame", { origin: "null", "sec-fetch-site": "cross-site" }],
    ["with Origin: null and no Sec-Fetch-Site", { origin: "null" }],
    ["without an origin", { origin: "" }],
  ];

  test.each(FORGED)("%s is refused on every route", async (_what, headers) => {
    const browser = await holding(await signUp());
    for (const route of routes.filter((name) => name.startsWith("POST"))) {
      const { status } = await browser.post(concrete(route), {}, headers);
      expect([route, status]).toEqual([route, 403]);
    }
  });

  test("from our own page is accepted with Origin: null, which Referrer-Policy: no-referrer causes", async () => {
    const browser = await holding(await signUp());
    const own = { origin: "null", "sec-fetch-site": "same-origin" };
    expect((await browser.post("/events", { type: "A", payload: "1" }, own)).status).toBe(303);
  });

  test("that is not a form is refused", async () => {
    const browser = await holding(await signUp());
    for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
      expect((await browser.post("/events", {}, { "content-type": type })).status).toBe(415);
    }
  });

  test.each([
    ["", 303],
    [";charset=UTF-8", 303],
    ["; charset=utf-16", 415],
    ["; charset=nonsense", 415],
    ["; boundary=x", 415],
  ])("whose content type ends in %j answers %i", async (parameter, status) => {
    const browser = await holding(await signUp());
    const headers = { "content-type": `application/x-www-form-urlencoded${parameter}` };
    expect((await browser.post("/events", { type: "A", payload: "1" }, headers)).status).toBe(status);
  });

  test("larger than the API accepts is refused", async () => {
    const browser = await holding(await signUp());
    const { status, html } = await browser.post("/api-keys", { name: "x".repeat(70_000) });
    expect([status, html.includes("<h1>")]).toEqual([413, true]);
  });

  test("with hostile values never answers with a 500", async () => {
    const browser = await holding(await signUp());
    const hostile = ["\0", "[".repeat(9_000), "\ud800"];
    const names = ["email", "password", "name", "url", "events", "secret", "type", "payload", "token", "role", "totp"];
    for (const route of routes.filter(
      (name) => name.startsWith("POST") && !name.endsWith("/sign-out") && !name.endsWith("everywhere"),
    )) {
      for (const value of hostile) {
        const { status } = await browser.post(concrete(route), Object.fromEntries(names.map((name) => [name, value])));
        expect(status, `${route} ${value.slice(0, 9)}`).toBeLessThan(500);
      }
    }
  });
});

describe("a page", () => {
  const headersOf = async (path: string) => (await (await holding(await signUp())).get(path)).headers;

  test.each(["", "/webhooks", "/nothing", "/sign-in/code"])(
    "%s has a strict Content-Security-Policy and is not stored",
    async (path) => {
      const headers = await headersOf(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(/^default-src 'none'; script-src 'nonce-[\w+/=]{24}'; style-src 'nonce-[\w+/=]{24}'; /);
      for (const part of ["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"])
        expect(policy).toContain(part);
      expect(policy).not.toMatch(/unsafe|http:|https:|\*/);
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types postern");
      expect(headers.get("permissions-policy")).toMatch(
        /camera=\(\), .*geolocation=\(\), microphone=\(\), payment=\(\)/,
      );
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
    },
  );

  test("loads one script and one style sheet, with a new nonce each time", async () => {
    const browser = visit();
    const [first, second] = [await browser.get("/sign-in"), await browser.get("/sign-in")];
    const nonces = [...first.html.matchAll(/nonce="([^"]+)"/g)].map(([, nonce]) => nonce);
    expect(nonces).toHaveLength(2);
    expect(first.headers.get("content-security-policy")).toContain(`'nonce-${nonces[0]}'`);
    expect(second.html).not.toContain(nonces[0]);
    expect(first.html).not.toMatch(/<script(?![^>]*src=)|<style|\son\w+=|style="|javascript:/);
  });

  test("refers to no other host, and its files are cacheable", async () => {
    const { html } = await visit().get("/sign-in");
    const paths = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
    expect(paths.filter((path) => !path.startsWith("/") && !path.startsWith("#"))).toEqual([]);
    for (const path of paths.filter((name) => name.includes("/assets/"))) {
      const asset = await visit().get(path.replace(/^\/console/, ""));
      expect([path, asset.status]).toEqual([path, 200]);
      expect(asset.headers.get("cache-control")).toContain("immutable");
    }
    expect((await visit().get("/assets/x/..%2f..%2fwrangler.toml")).status).toBe(404);
  });

  test.each([
    ["console.css", "text/css; charset=utf-8", ":root {"],
    ["console.js", "text/javascript; charset=utf-8", "addEventListener("],
    ["icon.svg", "image/svg+xml; charset=utf-8", "<svg"],
  ])("loads %s as a file of its own, whose address changes with its content", async (name, type, part) => {
    const { html } = await visit().get("/sign-in");
    const path = html.match(new RegExp(`/console/assets/[0-9a-z]+/${name}`))?.[0] ?? "";
    const { headers, html: text } = await visit().get(path.replace(/^\/console/, ""));
    expect(headers.get("content-type")).toBe(type);
    expect(text).toContain(part);
  });

  test("that does not exist answers 404 with a page", async () => {
    const { status, html } = await (await holding(await signUp())).get("/nothing");
    expect([status, html.includes("<h1>Not found</h1>")]).toEqual([404, true]);
  });
});
