/** Back-channel logout of `postern/web`, with logout tokens that jose signs. */
import { beforeEach, describe, expect, test } from "vitest";
import { forNode, type LogoutNotes } from "../../src/sdk/web";
import { NOTES_OF_PROCESS } from "../../src/sdk/web/logout";
import { type Jar, newWebApp, ORIGIN, tokenOf } from "../support/web-issuer";

const EVENTS = { "http://schemas.openid.net/event/backchannel-logout": {} };
const LOGOUT = { typ: "logout+jwt" };
const PATH = "/auth/back-channel-logout";

let app: ReturnType<typeof newWebApp>;
let here: Jar;
let elsewhere: Jar;

beforeEach(async () => {
  Reflect.deleteProperty(globalThis, NOTES_OF_PROCESS);
  app = newWebApp();
  [here, elsewhere] = [await app.signIn({ sub: "ada", sid: "1" }), await app.signIn({ sub: "ada", sid: "2" })];
});

const formOf = (token: string) => new URLSearchParams({ logout_token: token });
const send = async (token: string, to = app) => {
  const request = new Request(`${ORIGIN}${PATH}`, { method: "POST", body: formOf(token) });
  return (await to.web.handle(request))?.status;
};
const areIn = () => Promise.all([app.isIn(here), app.isIn(elsewhere)]);

describe("a logout token", () => {
  test("ends the session of its sign-in at once, and no other of the person", async () => {
    expect(await areIn()).toEqual([true, true]);
    expect(await send(await tokenOf({ sid: "1", sub: "ada", events: EVENTS, jti: "j" }, LOGOUT))).toBe(200);
    expect(await areIn()).toEqual([false, true]);
    const { headers } = await app.web.session(here.request("/"));
    expect(headers.getSetCookie().join()).toMatch(/^__Host-session\.0=; .*Max-Age=0/);
  });

  test("of a person ends all sessions that began before it, and none that begins after", async () => {
    const iat = Math.floor(Date.now() / 1000);
    const token = await tokenOf({ sub: "ada", events: EVENTS, iat }, { typ: undefined });
    expect(await send(token)).toBe(200);
    expect(await areIn()).toEqual([false, false]);
    const again = await app.signIn({ sub: "ada", sid: "3", iat: iat + 1 });
    expect([await app.isIn(again), await send(token), await app.isIn(again)]).toEqual([true, 200, true]);
    expect(await send(await tokenOf({ sub: "ada", events: EVENTS, iat: iat + 2 }, LOGOUT))).toBe(200);
    expect([await send(token), await app.isIn(again)]).toEqual([200, false]);
  });

  test.each<[what: string, claims: object, header?: object]>([
    ["an ID token", { events: undefined, nonce: "n" }, { typ: "JWT" }],
    ["a nonce", { nonce: "n" }],
    ["another event", { events: { "http://schemas.openid.net/event/other": {} } }],
    ["nobody", { sid: undefined }],
    ["another client", { aud: "other" }],
    ["another issuer", { iss: "https://evil.example" }],
    ["no time", { iat: undefined }],
    ["the past", { exp: 1 }],
    ["no end", { exp: undefined }],
    ["another type", {}, { typ: "at+jwt" }],
    ["an unknown key", {}, { kid: "other" }],
  ])("that is or is of %s is refused, and ends nothing", async (_what, claims, header = {}) => {
    const token = await tokenOf({ sid: "1", events: EVENTS, ...claims }, { ...LOGOUT, ...header });
    expect([await send(token), await areIn()]).toEqual([400, [true, true]]);
  });

  test("that is changed, unsigned, missing or too long is refused", async () => {
    const good = await tokenOf({ sid: "1", events: EVENTS }, LOGOUT);
    const [, payload] = good.split(".");
    const unsigned = `${btoa('{"alg":"none","typ":"logout+jwt"}').replaceAll("=", "")}.${payload}.`;
    for (const token of [`${good.slice(0, -4)}AAAA`, unsigned, "", "x".repeat(100_000)]) {
      expect(await send(token)).toBe(400);
    }
    expect((await app.web.handle(new Request(`${ORIGIN}${PATH}?${formOf(good)}`)))?.status).toBe(405);
    expect(await areIn()).toEqual([true, true]);
  });
});

test("a process notes once for all copies of the module", async () => {
  expect(await send(await tokenOf({ sid: "1", events: EVENTS }, LOGOUT), newWebApp())).toBe(200);
  expect(await areIn()).toEqual([false, true]);
});

test("processes that share their notes all know of it", async () => {
  const kept = new Map<string, string>();
  const logoutNotes: LogoutNotes = {
    set: async (key, value) => kept.set(key, value),
    get: async (key) => kept.get(key),
  };
  const [first, second] = [newWebApp({ logoutNotes }), newWebApp({ logoutNotes })];
  const jar = await first.signIn({ sub: "ada", sid: "1" });
  expect(await send(await tokenOf({ sid: "1", events: EVENTS }, LOGOUT), second)).toBe(200);
  expect(await first.isIn(jar)).toBe(false);
});

test.each<[what: string, body: (form: URLSearchParams) => object]>([
  ["as Node gives it", (form) => new Blob([form.toString()]).stream()],
  ["as Express has read it", (form) => ({ body: Object.fromEntries(form) })],
])("Node's adapter takes the form %s", async (_what, bodyOf) => {
  const form = formOf(await tokenOf({ sid: "1", events: EVENTS }, LOGOUT));
  const response = { statusCode: 0, appendHeader: () => 0, end: () => 0 };
  const request = Object.assign(bodyOf(form), { method: "POST", url: PATH, headers: { host: "shop.example" } });
  expect(await forNode(app.web).handle(request, response)).toBe(true);
  expect([response.statusCode, await app.isIn(here)]).toEqual([200, false]);
});

test.each<[what: string, options: Parameters<typeof newWebApp>[0]]>([
  ["the provider does not answer", { fetch: async () => new Response(null, { status: 500 }) }],
  [
    "its keys cannot be read",
    {
      fetch: async (url) => {
        if (url.endsWith("/jwks")) return new Response(null, { status: 500 });
        return Response.json({ issuer: "https://login.example", jwks_uri: "https://login.example/jwks" });
      },
    },
  ],
  ["it cannot be noted", { logoutNotes: { set: () => Promise.reject(new Error("down")), get: async () => null } }],
])("a logout token is to be sent again when %s", async (_what, options) => {
  expect(await send(await tokenOf({ sid: "1", events: EVENTS }, LOGOUT), newWebApp(options))).toBe(503);
});

test.each(["a b<>", ""])("Node's adapter answers 400 to a host that is none: %j", async (host) => {
  const answered = () => ({ statusCode: 0, appendHeader: () => 0, end: () => 0 });
  const [node, request] = [forNode(app.web), { method: "GET", url: "/", headers: { host } }];
  const [handled, required] = [answered(), answered()];
  expect([await node.handle(request, handled), handled.statusCode]).toEqual([true, 400]);
  expect([await node.require(request, required), required.statusCode]).toEqual([null, 400]);
  expect(await node.session(request, answered())).toBeNull();
});

test("a path with two slashes names no host to Node's adapter", async () => {
  const cookie = here.request("/").headers.get("cookie") ?? "";
  const headers = { host: "shop.example", cookie, origin: "http://evil.example" };
  const response = { statusCode: 0, appendHeader: () => 0, end: () => 0 };
  const { web } = newWebApp({ origin: undefined });
  expect(await forNode(web).require({ method: "POST", url: "//evil.example/orders", headers }, response)).toBeNull();
  expect(response.statusCode).toBe(403);
});
