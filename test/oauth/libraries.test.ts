/** Libraries of the field as apps use them. `oauth4webapi` is the client in all other tests of this folder. */
import * as client from "openid-client";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type App,
  answerOn,
  Browser,
  begin,
  enterCode,
  forgetClientsKey,
  ISSUER,
  newApp,
  signInTo,
} from "../support/apps";
import { type Person, signUpVerified } from "../support/client";
import { authJs } from "../support/libraries/auth-js";
import { honoOidcAuth } from "../support/libraries/hono-oidc-auth";
import { AFTER, CALLBACKS, type Library, type NewLibrary, reach } from "../support/libraries/library";
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

test("openid-client pushes its request, shows its key, and signs in on a device", async () => {
  const grants = ["authorization_code", "device_code"];
  const strict = await newApp({ redirectUrls: CALLBACKS, pushedOnly: true, dpop: "required", grants });
  const options = { [client.customFetch]: reach as never };
  const config = await client.discovery(new URL(ISSUER), strict.id, strict.secret, undefined, options);
  const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair());
  const verifier = client.randomPKCECodeVerifier();
  const params = {
    redirect_uri: CALLBACKS[0] ?? "",
    scope: "openid email",
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  const url = await client.buildAuthorizationUrlWithPAR(config, params, { DPoP });
  const answered = await signInTo({ ...(await begin(strict)), url: url.href }, person);
  const tokens = await client.authorizationCodeGrant(config, answered, { pkceCodeVerifier: verifier }, undefined, {
    DPoP,
  });
  const said = await client.fetchUserInfo(config, tokens.access_token, person.userId, { DPoP });
  const begun = await client.initiateDeviceAuthorization(config, { scope: "openid" });
  const { browser, page } = await enterCode(begun.user_code, person);
  await answerOn(browser, page.html, "allow");
  // The person is quicker than the interval.
  const soon = { ...begun, interval: 0 };
  const onDevice = await client.pollDeviceAuthorizationGrant(config, soon, undefined, { DPoP });
  expect([said.email, tokens.token_type, onDevice.token_type, onDevice.claims()?.sub]).toEqual([
    person.email,
    "dpop",
    "dpop",
    person.userId,
  ]);
});
