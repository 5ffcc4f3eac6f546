/** An app signs people in with a library of the field, from its redirect to userinfo; and what must not work. */
import { env } from "cloudflare:workers";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type App,
  answerOn,
  asksSignIn,
  Browser,
  begin,
  CALLBACK,
  finished,
  forgetClientsKey,
  ISSUER,
  newApp,
  redeem,
  signInOn,
  signInTo,
  userinfoOf,
} from "../support/apps";
import { type Person, signUpVerified } from "../support/client";

let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [app, person] = [await newApp(), await signUpVerified()];
});

const signedIn = (to = app, by: Person = person, browser = new Browser()) => finished(to, by, browser);

describe("a sign-in", () => {
  test("says who it is, to a client that checks everything", async () => {
    const { flow, tokens, claims } = await signedIn();
    const head = decodeProtectedHeader(tokens.id_token ?? "");
    expect([head.alg, head.typ]).toEqual(["RS256", "JWT"]);
    expect(claims).toMatchObject({
      iss: ISSUER,
      sub: person.userId,
      aud: app.id,
      azp: app.id,
      email: person.email,
      email_verified: true,
      tid: person.tenantId,
      role: "owner",
      amr: ["pwd"],
      acr: "urn:postern:acr:1",
    });
    const access = decodeJwt(tokens.access_token);
    expect(decodeProtectedHeader(tokens.access_token).typ).toBe("at+jwt");
    expect(access).toMatchObject({ aud: `${ISSUER}/oauth/userinfo`, client_id: app.id, sid: claims["sid"] });
    expect(access.exp).toBe((access.iat ?? 0) + 900);
    const info = await userinfoOf(flow, tokens.access_token, person.userId);
    expect(info).toMatchObject({ sub: person.userId, email: person.email, tid: person.tenantId });
  });

  test.each(["EdDSA", "ES256", "RS256"])("is signed with %s where the app wants it", async (idTokenAlgorithm) => {
    const other = await newApp({ idTokenAlgorithm });
    expect(decodeProtectedHeader((await signedIn(other)).tokens.id_token ?? "").alg).toBe(idTokenAlgorithm);
  });

  test("of a native app, which has no secret, stops for a click and takes any port of the device", async () => {
    const native = await newApp({ type: "native", redirectUrls: ["http://127.0.0.1/callback"] });
    const flow = await begin(native, { redirect_uri: "http://127.0.0.1:51234/callback" });
    const browser = new Browser();
    const signed = await signInOn(browser, (await browser.follow(flow.url)).page.html, person);
    const asked = (await browser.follow(signed.next ?? "")).page;
    const allowed = await answerOn(browser, asked.html, "allow");
    expect(allowed.next).toMatch(/^http:\/\/127\.0\.0\.1:51234\/callback\?code=/);
    // Remembered, and still a page: any program of the device can name the app.
    const redirect = { redirect_uri: "http://127.0.0.1:51234/callback" };
    const again = await browser.open((await begin(native, redirect)).url);
    expect([again.status, again.next, again.html]).toEqual([200, null, expect.stringContaining("Continue")]);
    const quiet = await browser.open((await begin(native, { ...redirect, prompt: "none" })).url);
    expect([quiet.next, quiet.html]).toEqual([null, expect.stringContaining("error=interaction_required")]);
  });

  test("asks once, and again for what is new and with prompt=consent", async () => {
    const other = await newApp();
    const browser = new Browser();
    const asks = async (changes: Record<string, string>) => {
      const { page } = await browser.follow((await begin(other, changes)).url);
      return page.html.includes('name="ask"');
    };
    await signInTo(await begin(other, { scope: "openid" }), person, browser);
    expect(await asks({ scope: "openid" })).toBe(false);
    expect(await asks({ scope: "openid email" })).toBe(true);
    expect(await asks({ scope: "openid", prompt: "consent" })).toBe(true);
  });

  test("asks nobody for an app of the operator's own", async () => {
    const own = await newApp({ consent: "skip" });
    const browser = new Browser();
    const signed = await signInOn(browser, (await browser.follow((await begin(own)).url)).page.html, person);
    const reached = await browser.follow(signed.next ?? "");
    expect(reached.page.next).toMatch(new RegExp(`^${CALLBACK}\\?code=`));
  });

  test("is the same over renewals in a session, and another one for each app", async () => {
    const browser = new Browser();
    const first = await signedIn(app, person, browser);
    const second = await signedIn(app, person, browser);
    const other = await signedIn(await newApp(), person, browser);
    expect(second.claims["sid"]).toBe(first.claims["sid"]);
    expect(other.claims["sid"]).not.toBe(first.claims["sid"]);
  });
});

describe("without a person", () => {
  const errorOf = async (changes: Record<string, string | null>, browser = new Browser(), to = app) => {
    const next = (await browser.open((await begin(to, changes)).url)).next ?? "";
    return new URL(next).searchParams;
  };

  test("prompt=none tells the app why, with its state and our name", async () => {
    const answer = await errorOf({ prompt: "none", state: "abc" });
    expect(Object.fromEntries(answer)).toEqual({
      error: "login_required",
      error_description: expect.any(String),
      state: "abc",
      iss: ISSUER,
    });
    const browser = new Browser();
    await signInTo(await begin(await newApp()), person, browser);
    expect((await errorOf({ prompt: "none" }, browser, await newApp())).get("error")).toBe("consent_required");
    await signInTo(await begin(app), person, browser);
    expect((await errorOf({ prompt: "none" }, browser)).get("code")).not.toBeNull();
    expect((await errorOf({ prompt: "none", tenant: "ext:nobody" }, browser)).get("error")).toBe("access_denied");
  });

  test("a parameter without a value counts as missing", async () => {
    const answer = await errorOf({ prompt: "none", max_age: "", resource: "", acr_values: "", state: "" });
    expect([...answer.keys()].sort()).toEqual(["error", "error_description", "iss"]);
    expect(answer.get("error")).toBe("login_required");
  });

  test("prompt=login and max_age=0 want a new sign-in, which is a later one (oidcc-prompt-login, oidcc-max-age-1)", async () => {
    const browser = new Browser();
    const before = await signedIn(app, person, browser);
    for (const changes of [{ prompt: "login" }, { max_age: "0" }]) {
      const flow = await begin(app, changes);
      expect((await browser.follow(flow.url)).page.html).toSatisfy(asksSignIn);
      const { claims } = await redeem(flow, await signInTo(flow, person, browser));
      expect(claims.auth_time).toBeGreaterThanOrEqual(before.claims.auth_time ?? Infinity);
    }
  });

  test("an ID token of somebody else wants a sign-in, and so does one that is not ours", async () => {
    const browser = new Browser();
    const { tokens } = await signedIn(app, person, browser);
    const stranger = await signedIn(app, await signUpVerified());
    const hint = (text = "") => errorOf({ prompt: "none", id_token_hint: text }, browser);
    expect((await hint(tokens.id_token)).get("code")).not.toBeNull();
    expect((await hint(stranger.tokens.id_token)).get("error")).toBe("login_required");
    expect((await hint("e30.e30.e30")).get("error")).toBe("login_required");
  });

  test.each<[what: string, changes: Record<string, string | null>, error: string]>([
    ["no response type", { response_type: null }, "invalid_request"],
    ["the implicit flow", { response_type: "id_token" }, "unsupported_response_type"],
    ["a request object", { request: "e30.e30." }, "request_not_supported"],
    ["a request by URL", { request_uri: "https://evil.example/r" }, "request_uri_not_supported"],
    ["no scope", { scope: null }, "invalid_scope"],
    ["a scope without openid", { scope: "email" }, "invalid_scope"],
    ["no challenge", { code_challenge: null, code_challenge_method: null }, "invalid_request"],
    ["a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["a challenge without its method", { code_challenge_method: null }, "invalid_request"],
    ["a short challenge", { code_challenge: "abc" }, "invalid_request"],
    ["an unknown prompt", { prompt: "maybe" }, "invalid_request"],
    ["none beside another prompt", { prompt: "none login" }, "invalid_request"],
    ["an age in words", { max_age: "long" }, "invalid_request"],
    ["a long nonce", { nonce: "n".repeat(513) }, "invalid_request"],
  ])("%s is refused, and the app is told", async (_what, changes, error) => {
    expect((await errorOf(changes)).get("error")).toBe(error);
  });
});

describe("our own page, and no redirect, answers", () => {
  test.each<[what: string, changes: Record<string, string | null>]>([
    ["an unknown client", { client_id: "pc_0000000000000000000000000000" }],
    ["no client", { client_id: null }],
    ["no redirect URL", { redirect_uri: null }],
    ["another host", { redirect_uri: "https://evil.example/callback" }],
    ["a longer path", { redirect_uri: `${CALLBACK}/more` }],
    ["a query", { redirect_uri: `${CALLBACK}?next=evil` }],
    ["a fragment", { redirect_uri: `${CALLBACK}#evil` }],
    ["another case", { redirect_uri: "https://SHOP.example/callback" }],
    ["a user name", { redirect_uri: "https://shop.example@evil.example/callback" }],
    ["dot segments", { redirect_uri: "https://shop.example/x/../callback" }],
    ["another scheme", { redirect_uri: "http://shop.example/callback" }],
    ["a port", { redirect_uri: "https://shop.example:8443/callback" }],
    ["a script", { redirect_uri: "javascript:alert(1)" }],
    ["too much", { login_hint: "x".repeat(9000) }],
  ])("%s", async (_what, changes) => {
    const page = await new Browser().open((await begin(app, changes)).url);
    expect([page.status, page.next]).toEqual([400, null]);
  });

  test("a parameter that comes twice, and a sealed request that is not ours", async () => {
    const twice = await new Browser().open(`${(await begin(app)).url}&state=other`);
    expect([twice.status, twice.next]).toEqual([400, null]);
    const invented = await new Browser().open("/oauth/authorize?r=abc.def.ghi");
    expect([invented.status, invented.next]).toEqual([400, null]);
  });

  test("a client that is disabled, as one that does not exist", async () => {
    const { token } = person;
    const other = await newApp();
    await env.DB.prepare("UPDATE oauth_clients SET enabled = 0 WHERE id = ?").bind(other.id).run();
    expect((await new Browser().open((await begin(other)).url)).status).toBe(400);
    expect(token).toBeDefined();
  });
});

test("a request by POST goes on as a GET, because no cookie comes with a form of another site (oidcc-ensure-post-request-succeeds)", async () => {
  const url = new URL((await begin(app)).url);
  const form = Object.fromEntries(url.searchParams);
  const page = await new Browser().open(url.pathname, { form, headers: { origin: "https://shop.example" } });
  expect([page.status, page.next]).toEqual([303, expect.stringMatching(/^\/oauth\/authorize\?r=/)]);
});

describe("the page that asks", () => {
  async function asked(browser = new Browser()) {
    const flow = await begin(await newApp());
    const signed = await signInOn(browser, (await browser.follow(flow.url)).page.html, person);
    return (await browser.follow(signed.next ?? "")).page;
  }

  test("names the app's host, the account, and what the app will see; and cannot be framed", async () => {
    const page = await asked();
    for (const text of ["shop.example", person.email, "See your email address"]) expect(page.html).toContain(text);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(page.headers.get("cache-control")).toBe("no-store");
  });

  test("tells the app that the person did not allow it", async () => {
    const browser = new Browser();
    const denied = await answerOn(browser, (await asked(browser)).html, "deny");
    expect(denied.status).toBe(200);
    expect(new URL(denied.next ?? "").searchParams.get("error")).toBe("access_denied");
  });

  test("takes no answer of another session, nor of another site", async () => {
    const { html } = await asked();
    const other = new Browser();
    await asked(other);
    expect((await answerOn(other, html, "allow")).status).toBe(403);
    const ask = html.match(/name="ask" value="([^"]*)"/)?.[1] ?? "";
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await other.open("/account/consent", { form: { ask, answer: "allow" }, headers })).status).toBe(403);
    expect((await other.open("/account/consent", { form: { ask: "abc", answer: "allow" } })).status).toBe(403);
  });

  test("leads whoever is not signed in to the sign-in", async () => {
    const page = await new Browser().open("/account/consent", { form: { ask: "abc", answer: "allow" } });
    expect([page.status, page.next]).toEqual([303, "/account/sign-in"]);
  });
});
