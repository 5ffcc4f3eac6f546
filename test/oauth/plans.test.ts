/**
 * The modules of the certification's Basic plan that the other files do not have, by their names: a client that needs
 * no PKCE and asks nobody, and whose ID tokens have no claims of scopes.
 */
import { createExecutionContext } from "cloudflare:test";
import { decodeProtectedHeader } from "jose";
import * as oauth from "oauth4webapi";
import { beforeAll, expect, test } from "vitest";
import worker from "../../src";
import {
  type App,
  Browser,
  begin,
  CALLBACK,
  finished,
  forgetClientsKey,
  HTTP,
  ISSUER,
  newApp,
  redeem,
  signInTo,
} from "../support/apps";
import { type Person, signUpVerified } from "../support/client";
import { countedEnv, readSigners } from "../support/cost";

const NO_PKCE = { code_challenge: null, code_challenge_method: null };
let app: App;
let person: Person;
const browser = new Browser();

beforeAll(async () => {
  forgetClientsKey();
  app = await newApp({ pkce: "optional", idTokenClaims: false, consent: "skip" });
  person = await signUpVerified();
  await signInTo(await begin(app), person, browser);
});

const asked = (changes: Record<string, string | null>) => begin(app, { ...NO_PKCE, ...changes });

/** A sign-in in the browser in which the person is signed in. */
async function signIn(changes: Record<string, string | null>, isByBasic = false) {
  const flow = await asked(changes);
  const proof = isByBasic ? oauth.ClientSecretBasic(app.secret ?? "") : flow.proof;
  const sent = { ...flow, proof, state: changes["state"] ?? flow.state };
  const answered = await signInTo(flow, person, browser);
  const hasNoPkce = typeof changes["code_challenge"] !== "string";
  const done = await redeem(sent, answered, { hasNoPkce, hasNoNonce: changes["nonce"] === null });
  const { server, client } = flow;
  const response = await oauth.userInfoRequest(server, client, done.tokens.access_token, HTTP);
  return { ...done, userinfo: await oauth.processUserInfoResponse(server, client, done.claims.sub, response) };
}

test("oidcc-server: the ID token is signed by a named key, and has no claims of scopes", async () => {
  const { tokens, claims, userinfo } = await signIn({}, true);
  expect(decodeProtectedHeader(tokens.id_token ?? "")).toMatchObject({ alg: "RS256", kid: expect.any(String) });
  expect([claims["at_hash"], claims["email"], claims["name"]]).toEqual([expect.any(String), undefined, undefined]);
  expect(userinfo).toMatchObject({ sub: person.userId, email: person.email, email_verified: true });
});

test.each<[module: string, changes: Record<string, string | null>]>([
  ["server-client-secret-post", {}],
  ["ensure-request-with-unknown-parameter-succeeds", { extra: "foobar" }],
  ["ensure-request-without-nonce-succeeds-for-code-flow", { nonce: null }],
  ["prompt-none-logged-in", { prompt: "none", state: "s".repeat(128) }],
  ["login-hint", { login_hint: "stranger" }],
  ["max-age-10000", { max_age: "10000" }],
  ["display-page", { display: "page" }],
  ["display-popup", { display: "popup" }],
  ["ui-locales", { ui_locales: "se" }],
  ["claims-locales", { claims_locales: "se" }],
  ["claims-essential", { claims: '{"userinfo":{"name":{"essential":true}}}' }],
  ["scope-all", { scope: "openid profile email address phone" }],
  ["scope-address", { scope: "openid address" }],
])("oidcc-%s", async (_module, changes) => {
  const { claims, userinfo } = await signIn(changes);
  expect([claims.sub, userinfo.sub]).toEqual([person.userId, person.userId]);
});

test("oidcc-ensure-request-with-valid-pkce-succeeds", async () => {
  expect((await finished(app, person, browser)).claims.sub).toBe(person.userId);
});

test("oidcc-ensure-request-with-acr-values-succeeds: the ID token has one of them", async () => {
  const { claims } = await signIn({ acr_values: "urn:postern:acr:1 urn:postern:acr:2" });
  expect(claims["acr"]).toBe("urn:postern:acr:1");
});

test.each([
  ["scope-profile", "profile", ["updated_at"]],
  ["scope-email", "email", ["email", "email_verified"]],
])("oidcc-%s: userinfo has its claims, and no others", async (_module, scope, names) => {
  const { userinfo } = await signIn({ scope: `openid ${scope}` });
  const { sub: _, name: __, ...claims } = userinfo;
  expect([Object.keys(claims).sort(), typeof (claims["updated_at"] ?? 0)]).toEqual([names, "number"]);
});

test("oidcc-id-token-hint: prompt=none goes on for whom the token names", async () => {
  const { tokens, claims } = await signIn({});
  const again = await signIn({ prompt: "none", id_token_hint: tokens.id_token ?? "" });
  expect([again.claims.sub, again.claims.auth_time]).toEqual([claims.sub, claims.auth_time]);
});

test.each<[module: string, changes: Record<string, string | null>, error: string]>([
  ["response-type-missing", { response_type: null }, "invalid_request"],
  [
    "unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
    { request: "e30.e30." },
    "request_not_supported",
  ],
  [
    "request-uri-unsigned-supported-correctly-or-rejected-as-unsupported",
    { request_uri: "https://shop.example/r" },
    "request_uri_not_supported",
  ],
])("oidcc-%s: the error goes back", async (_module, changes, error) => {
  const flow = await asked(changes);
  const { searchParams } = new URL((await browser.open(flow.url)).next ?? "");
  expect([searchParams.get("error"), searchParams.get("state"), searchParams.get("iss")]).toEqual([
    error,
    flow.state,
    ISSUER,
  ]);
});

test("oidcc-prompt-none-not-logged-in", async () => {
  const { next } = await new Browser().open((await asked({ prompt: "none" })).url);
  expect(new URL(next ?? "").searchParams.get("error")).toBe("login_required");
});

test("oidcc-ensure-registered-redirect-uri: our own page", async () => {
  const { status, next } = await browser.open((await asked({ redirect_uri: `${CALLBACK}/x` })).url);
  expect([status, next]).toEqual([400, null]);
});

test("forged ids, codes, refresh tokens and access tokens cost no D1, however many", async () => {
  const { counted, cost } = countedEnv();
  const form = { client_id: app.id, client_secret: app.secret ?? "" };
  const requests = Array.from({ length: 25 }, (_, at) => [
    { ...form, client_id: `pc_${String(at).padStart(28, "0")}`, grant_type: "authorization_code", code: "a.b" },
    { ...form, grant_type: "authorization_code", code: `abc.${at}`, redirect_uri: CALLBACK },
    { ...form, grant_type: "refresh_token", refresh_token: `por_${crypto.randomUUID()}.1.${"A".repeat(43)}` },
    null,
  ]).flat();
  await readSigners();
  const statuses = await Promise.all(
    requests.map(async (body, at) => {
      const headers = { "cf-connecting-ip": `198.51.100.${at}`, authorization: "Bearer e30.e30.AAAA" };
      const request = body
        ? new Request(`${ISSUER}/oauth/token`, {
            method: "POST",
            headers: { "cf-connecting-ip": headers["cf-connecting-ip"] },
            body: new URLSearchParams(body),
          })
        : new Request(`${ISSUER}/oauth/userinfo`, { headers });
      return (await worker.fetch(request as never, counted, createExecutionContext())).status;
    }),
  );
  expect([[...new Set(statuses)].sort(), cost.trips]).toEqual([[400, 401], 0]);
});
