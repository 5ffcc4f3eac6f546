/** Libraries of the field as apps use them. `oauth4webapi` is the client in all other tests of this folder. */
import { beforeAll, describe, expect, test } from "vitest";
import { type App, Browser, begin, forgetClientsKey, newApp, signInTo } from "../support/apps";
import { type Person, signUpVerified } from "../support/client";
import { authJs } from "../support/libraries/auth-js";
import { honoOidcAuth } from "../support/libraries/hono-oidc-auth";
import { AFTER, CALLBACKS, type Library, type NewLibrary } from "../support/libraries/library";
import { openidClient } from "../support/libraries/openid-client";

let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  const idTokenSeconds = 3600;
  app = await newApp({ redirectUrls: CALLBACKS, postLogoutUrls: [AFTER], idTokenSeconds });
  person = await signUpVerified();
});

/** Where the browser comes back to, from the address that the library has sent it to. */
async function answerOf(library: Library, browser: Browser, change: (url: URL) => void = () => {}): Promise<URL> {
  const url = new URL(await library.begin());
  change(url);
  return signInTo({ ...(await begin(app)), url: url.href }, person, browser);
}

describe.each<[name: string, make: NewLibrary]>([
  ["openid-client", openidClient],
  ["Auth.js", authJs],
  ["@hono/oidc-auth", honoOidcAuth],
])("%s", (_name, make) => {
  test("signs in, renews and signs out", async () => {
    const [library, browser] = [await make(app), new Browser()];
    const said = { userId: person.userId, tenantId: person.tenantId };
    expect(await library.finish(await answerOf(library, browser))).toEqual(said);
    expect(await library.renew()).toEqual(said);
    const out = await library.signOut();
    if (out !== null) expect((await browser.open(out)).next).toBe(AFTER);
  });

  test.each<[what: string, ofRequest: (url: URL) => void, ofAnswer: (url: URL) => void]>([
    ["state", () => {}, ({ searchParams }) => searchParams.set("state", "another")],
    ["nonce", ({ searchParams }) => searchParams.set("nonce", "another"), () => {}],
    ["issuer", () => {}, ({ searchParams }) => searchParams.set("iss", "https://evil.example")],
  ])("refuses another %s", async (_what, ofRequest, ofAnswer) => {
    const library = await make(app);
    const answered = await answerOf(library, new Browser(), ofRequest);
    ofAnswer(answered);
    expect(await library.finish(answered).catch(() => null)).toBeNull();
  });
});
