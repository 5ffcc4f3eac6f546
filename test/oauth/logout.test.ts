/** Signing out from an app (OpenID Connect RP-Initiated Logout 1.0), named after the modules of the certification. */
import { beforeAll, expect, test } from "vitest";
import { type App, Browser, fieldOf, finished, forgetClientsKey, ISSUER, newApp } from "../support/apps";
import { type Person, signUpVerified } from "../support/client";

const AFTER = "https://shop.example/signed-out";
let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [app, person] = [await newApp({ postLogoutUrls: [AFTER] }), await signUpVerified()];
});

const open = (browser: Browser, params: Record<string, string>) =>
  browser.open(`/oauth/logout?${new URLSearchParams(params)}`);
const isSignedIn = (browser: Browser) => [...browser.jar.keys()].some((name) => name.endsWith("postern-session"));

test("oidcc-rp-initiated-logout: returns with the state, and the session has ended", async () => {
  const { browser, tokens } = await finished(app, person);
  const params = { id_token_hint: tokens.id_token ?? "", post_logout_redirect_uri: AFTER, state: "a b" };
  const answer = await open(browser, params);
  expect([answer.status, answer.next, isSignedIn(browser)]).toEqual([303, `${AFTER}?state=a+b`, false]);
  expect((await browser.open("/console")).next).toContain("sign-in");
  // Without a session, the same.
  expect((await open(browser, params)).next).toBe(`${AFTER}?state=a+b`);
});

test.each<[module: string, params: (idToken: string) => Record<string, string>, status: number]>([
  [
    "-bad-post-logout-redirect-uri",
    (id_token_hint) => ({ id_token_hint, post_logout_redirect_uri: `${AFTER}/x` }),
    400,
  ],
  [
    "-query-added-to-post-logout-redirect-uri",
    (id_token_hint) => ({ id_token_hint, post_logout_redirect_uri: `${AFTER}?x=1` }),
    400,
  ],
  [
    "-modified-id-token-hint",
    (token) => ({ id_token_hint: `${token.slice(0, -6)}AAAAAA`, post_logout_redirect_uri: AFTER }),
    400,
  ],
  ["-bad-id-token-hint", () => ({ id_token_hint: "abc", post_logout_redirect_uri: AFTER }), 400],
  ["-no-id-token-hint", () => ({ post_logout_redirect_uri: AFTER, state: "a" }), 400],
  ["-no-params", () => ({}), 200],
  ["-only-state", () => ({ state: "a" }), 200],
])("%s: a page asks, and leads nowhere by itself", async (_module, params, status) => {
  const { browser, tokens } = await finished(app, person);
  const asked = await open(browser, params(tokens.id_token ?? ""));
  expect([asked.status, asked.next, isSignedIn(browser)]).toEqual([status, null, true]);
  const done = await browser.open("/account/sign-out", { form: { r: fieldOf(asked.html, "r") } });
  expect([done.status, done.next, isSignedIn(browser)]).toEqual([200, null, false]);
});

test.each<[module: string, params: Record<string, string>, next: string | null]>([
  ["-no-state", { post_logout_redirect_uri: AFTER }, AFTER],
  ["-no-post-logout-redirect-uri", {}, null],
])("%s: signs out at once", async (_module, params, next) => {
  const { browser, tokens } = await finished(app, person);
  const answer = await open(browser, { id_token_hint: tokens.id_token ?? "", ...params });
  expect([answer.next, isSignedIn(browser)]).toEqual([next, false]);
});

test("somebody else's ID token signs nobody out, and neither does another client's name", async () => {
  const { browser, tokens } = await finished(app, person);
  const other = await finished(app, await signUpVerified());
  for (const params of [
    { id_token_hint: other.tokens.id_token ?? "" },
    { id_token_hint: tokens.id_token ?? "", client_id: (await newApp()).id },
  ]) {
    expect([(await open(browser, params)).next, isSignedIn(browser)]).toEqual([null, true]);
  }
});

test("a client that names itself gets a link on the page after the answer", async () => {
  const { browser } = await finished(app, person);
  const asked = await open(browser, { client_id: app.id, post_logout_redirect_uri: AFTER, state: "s" });
  expect([asked.status, asked.next]).toEqual([200, null]);
  const done = await browser.open("/account/sign-out", { form: { r: fieldOf(asked.html, "r") } });
  expect([done.next, done.html]).toEqual([null, expect.stringContaining(`href="${AFTER}?state=s"`)]);
});

test("a POST goes on as a GET, and the page takes no form of another site", async () => {
  const { browser, tokens } = await finished(app, person);
  const headers = { origin: "https://shop.example" };
  const form = { id_token_hint: tokens.id_token ?? "", post_logout_redirect_uri: AFTER };
  const posted = await new Browser().open("/oauth/logout", { form, headers });
  expect([posted.status, posted.next]).toEqual([303, expect.stringMatching(/^\/oauth\/logout\?r=/)]);
  expect((await browser.open(posted.next ?? "")).next).toBe(AFTER);
  const forged = await new Browser().open("/account/sign-out", { form: { r: "abc" }, headers });
  expect([forged.status, ISSUER.length > 0]).toEqual([403, true]);
});
