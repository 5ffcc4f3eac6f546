/** Libraries of the field as apps use them. `oauth4webapi` is the client in all other tests of this folder. */
import { decodeJwt, exportJWK, generateKeyPair } from "jose";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../src/sdk/client";
import {
  type App,
  answerOn,
  Browser,
  begin,
  discover,
  enterCode,
  forgetClientsKey,
  HTTP,
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

describe("a machine", () => {
  const OURS = `${ISSUER}/api/v1`;
  let keys: CryptoKeyPair;
  let machine: App;

  beforeAll(async () => {
    keys = await generateKeyPair("ES256", { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: "1" }] };
    const resources = [{ identifier: OURS, scopes: ["webhook.create", "webhook.read"] }];
    const fields = { name: "Nightly", auth: "private_key_jwt", jwks, grants: ["client_credentials"], resources };
    machine = await newApp({ ...fields, redirectUrls: [], dpop: "allowed" });
  });

  const params = () => ({ resource: OURS, tenant: person.tenantId, scope: "webhook.create webhook.read" });
  const ends = (token: string) => Number(decodeJwt(token).exp) - Number(decodeJwt(token).iat);

  /** Our own client, with a token in place of a long-lived key. */
  const clientWith = (token: string) => createClient({ baseUrl: ISSUER, apiKey: token, fetch: reach as never });

  test("gets a token for our API by its key with openid-client, instead of a long-lived key", async () => {
    const options = { [client.customFetch]: reach as never };
    const proof = client.PrivateKeyJwt({ key: keys.privateKey, kid: "1" });
    const config = await client.discovery(new URL(ISSUER), machine.id, undefined, proof, options);
    const { access_token: token, refresh_token: none } = await client.clientCredentialsGrant(config, params());
    expect([none, ends(token)]).toEqual([undefined, 900]);
    const { webhooks } = clientWith(token);
    const made = await webhooks.create({
      name: "n",
      url: "https://hooks.example/n",
      events: ["A"],
      secret: "sixteen bytes or more",
    });
    expect((await webhooks.list()).map(({ _id }) => _id)).toContain(made._id);
    await expect(webhooks.delete(made._id)).rejects.toMatchObject({ status: 403 });
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair());
    const bound = await client.clientCredentialsGrant(config, params(), { DPoP });
    // Our API takes no proofs, so a token that is bound to a key opens nothing there.
    await expect(clientWith(bound.access_token).webhooks.list()).rejects.toMatchObject({ status: 401 });
    await client.tokenRevocation(config, token);
    await expect(webhooks.list()).rejects.toMatchObject({ status: 401 });
  });

  test("gets one with oauth4webapi, and neither without the key nor for another API", async () => {
    const server = await discover();
    const itself = { client_id: machine.id };
    const ask = async (key: CryptoKey, changes: Record<string, string> = {}) => {
      const proof = oauth.PrivateKeyJwt({ key, kid: "1" });
      const given = { ...params(), ...changes };
      const response = await oauth.clientCredentialsGrantRequest(server, itself, proof, given, HTTP);
      return oauth.processClientCredentialsResponse(server, itself, response);
    };
    expect(decodeJwt((await ask(keys.privateKey)).access_token)).toMatchObject({ aud: OURS, sub: machine.id });
    const foreign = await generateKeyPair("ES256");
    await expect(ask(foreign.privateKey)).rejects.toMatchObject({ error: "invalid_client" });
    const other = { resource: "https://notes.example/" };
    await expect(ask(keys.privateKey, other)).rejects.toMatchObject({ error: "invalid_target" });
  });
});
