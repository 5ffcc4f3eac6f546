/** Tokens that are bound to a key of the app (RFC 9449): what they are bound to, and proofs that are refused. */

import { exports } from "cloudflare:workers";
import { base64url, calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { verifyProof } from "../../src/oauth/tokens/dpop";
import {
  type App,
  begin,
  exchangeOf,
  type Flow,
  forgetClientsKey,
  HTTP,
  ISSUER,
  newApp,
  postTo,
  postToken,
  proofOf,
  redeem,
  signInTo,
} from "../support/apps";
import { newAddress, type Person, signUpVerified } from "../support/client";

const SCOPE = "openid email offline_access";
const TOKEN = `${ISSUER}/oauth/token`;
const USERINFO = `${ISSUER}/oauth/userinfo`;
let app: App;
let native: App;
let person: Person;
let keys: CryptoKeyPair;

beforeAll(async () => {
  forgetClientsKey();
  app = await newApp({ dpop: "allowed" });
  native = await newApp({ dpop: "required", type: "native" });
  person = await signUpVerified();
  keys = await generateKeyPair("ES256", { extractable: true });
});

const thumbprintOf = async ({ publicKey }: CryptoKeyPair) => calculateJwkThumbprint(await exportJWK(publicKey));

/** A nonce of the service, as any request with a proof gets one. */
async function freshNonce(): Promise<string> {
  const { headers } = await postToken({}, { dpop: "x" });
  return headers.get("dpop-nonce") ?? "";
}

interface Changes {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  pair?: CryptoKeyPair;
  signedBy?: CryptoKey | Uint8Array;
}

/** A proof by hand, right unless it is changed. */
async function proofFor(url: string, { claims, header, pair = keys, signedBy }: Changes = {}): Promise<string> {
  const said = {
    jti: crypto.randomUUID(),
    htm: "POST",
    htu: url,
    iat: Math.floor(Date.now() / 1000),
    nonce: await freshNonce(),
    ...claims,
  };
  const jwk = await exportJWK(pair.publicKey);
  return new SignJWT(said)
    .setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk, ...header })
    .sign(signedBy ?? pair.privateKey);
}

/** As the library does it: once without a nonce, and again with the one that it was given. */
async function withKey(flow: Flow, answered: URL, DPoP: oauth.DPoPHandle) {
  const { server, client, proof, state, verifier, nonce } = flow;
  const params = oauth.validateAuthResponse(server, client, answered, state);
  const redirect = new URL(flow.url).searchParams.get("redirect_uri") ?? "";
  const ask = () =>
    oauth.authorizationCodeGrantRequest(server, client, proof, params, redirect, verifier, { ...HTTP, DPoP });
  const read = async (response: Response) =>
    oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: nonce });
  return read(await ask()).catch(async (error: unknown) => {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return read(await ask());
  });
}

async function connected(to = native) {
  const flow = await begin(to, { scope: SCOPE });
  const DPoP = oauth.DPoP(flow.client, keys);
  const tokens = await withKey(flow, await signInTo(flow, person), DPoP);
  return { flow, DPoP, tokens, refreshToken: tokens.refresh_token ?? "" };
}

async function userinfoWith(headers: Record<string, string>) {
  const sent = { "cf-connecting-ip": newAddress(), ...headers };
  const response = await exports.default.fetch(new Request(USERINFO, { headers: sent }));
  return { status: response.status, challenge: response.headers.get("www-authenticate") ?? "" };
}

const hashOf = async (token: string) =>
  base64url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(token))));

describe("a token that is bound to a key", () => {
  test("is given, shown and renewed by a library, and says its key to whoever verifies it", async () => {
    const { flow, DPoP, tokens, refreshToken } = await connected();
    const { server, client, proof } = flow;
    expect(tokens.token_type).toBe("dpop");
    const info = await oauth.userInfoRequest(server, client, tokens.access_token, { ...HTTP, DPoP });
    expect((await oauth.processUserInfoResponse(server, client, person.userId, info)).email).toBe(person.email);
    const renewal = await oauth.refreshTokenGrantRequest(server, client, proof, refreshToken, { ...HTTP, DPoP });
    const renewed = await oauth.processRefreshTokenResponse(server, client, renewal);
    const request = new Request(USERINFO, {
      headers: {
        authorization: `DPoP ${renewed.access_token}`,
        dpop: await proofFor(USERINFO, { claims: { htm: "GET", ath: await hashOf(renewed.access_token) } }),
      },
    });
    // The library as a resource: it verifies the token and its proof.
    const claims = await oauth.validateJwtAccessToken(server, request, USERINFO, { ...HTTP, requireDPoP: true });
    expect(claims.cnf?.jkt).toBe(await thumbprintOf(keys));
  });

  test("opens nothing without a proof, with one of another key or for another token", async () => {
    const { tokens } = await connected();
    const token = tokens.access_token;
    const ath = await hashOf(token);
    const other = await generateKeyPair("ES256", { extractable: true });
    const shown = async (changes: Changes, scheme = "DPoP") => ({
      authorization: `${scheme} ${token}`,
      dpop: await proofFor(USERINFO, { ...changes, claims: { htm: "GET", ath, ...changes.claims } }),
    });
    const refused = [
      { authorization: `Bearer ${token}` },
      { authorization: `DPoP ${token}` },
      await shown({}, "Bearer"),
      await shown({ pair: other }),
      await shown({ claims: { ath: await hashOf("another") } }),
      await shown({ claims: { ath: undefined } }),
      await shown({ claims: { htm: "POST" } }),
      await shown({ claims: { htu: TOKEN } }),
    ];
    for (const headers of refused) {
      const { status, challenge } = await userinfoWith(headers);
      expect([status, challenge.startsWith("DPoP error=")]).toEqual([401, true]);
    }
    expect((await userinfoWith(await shown({}))).status).toBe(200);
  });

  test("of an app without a secret is renewed by its key alone, and a theft ends nothing", async () => {
    const { refreshToken } = await connected();
    const form = { ...proofOf(native), grant_type: "refresh_token", refresh_token: refreshToken };
    const other = await generateKeyPair("ES256", { extractable: true });
    const stolen = await postToken(form, { dpop: await proofFor(TOKEN, { pair: other }) });
    expect([stolen.status, stolen.body["error"]]).toEqual([400, "invalid_grant"]);
    expect((await postToken(form)).body["error"]).toBe("invalid_dpop_proof");
    const first = await postToken(form, { dpop: await proofFor(TOKEN) });
    expect([first.status, first.body["token_type"]]).toEqual([200, "DPoP"]);
    // The answer was lost, and the app asks again from elsewhere.
    const again = await postToken(form, { dpop: await proofFor(TOKEN) });
    expect(again.body["refresh_token"]).toBe(first.body["refresh_token"]);
  });

  test("is so to the app that asks about it", async () => {
    const { tokens } = await connected(app);
    const { body } = await postTo("/oauth/introspect", { ...proofOf(app), token: tokens.access_token });
    expect(body).toMatchObject({ active: true, token_type: "DPoP", cnf: { jkt: await thumbprintOf(keys) } });
  });
});

describe("a code", () => {
  test("of an app that must show a key is kept until it does", async () => {
    const flow = await begin(native);
    const form = exchangeOf(native, flow, await signInTo(flow, person));
    expect((await postToken(form)).body["error"]).toBe("invalid_dpop_proof");
    expect((await postToken(form, { dpop: await proofFor(TOKEN) })).status).toBe(200);
  });

  test.each<[what: string, pushes: boolean]>([
    ["dpop_jkt", false],
    ["a pushed request", true],
  ])("is bound by %s to its key", async (_what, pushes) => {
    const other = await generateKeyPair("ES256", { extractable: true });
    const flow = await begin(app, pushes ? {} : { dpop_jkt: await thumbprintOf(keys) });
    const params = Object.fromEntries(new URL(flow.url).searchParams);
    let { url } = flow;
    if (pushes) {
      const dpop = await proofFor(`${ISSUER}/oauth/par`);
      const { body } = await postTo("/oauth/par", { ...proofOf(app), ...params }, { dpop });
      const named = { client_id: app.id, request_uri: String(body["request_uri"]) };
      url = `${ISSUER}/oauth/authorize?${new URLSearchParams(named)}`;
    }
    const form = exchangeOf(app, flow, await signInTo({ ...flow, url }, person));
    for (const headers of [{}, { dpop: await proofFor(TOKEN, { pair: other }) }]) {
      expect((await postToken(form, headers as Record<string, string>)).body["error"]).toBe("invalid_grant");
    }
    expect((await postToken(form, { dpop: await proofFor(TOKEN) })).body["token_type"]).toBe("DPoP");
  });

  test("cannot be pushed with the proof of one key and the name of another", async () => {
    const flow = await begin(app, { dpop_jkt: "a".repeat(43) });
    const params = Object.fromEntries(new URL(flow.url).searchParams);
    const dpop = await proofFor(`${ISSUER}/oauth/par`);
    expect((await postTo("/oauth/par", { ...proofOf(app), ...params }, { dpop })).body["error"]).toBe(
      "invalid_request",
    );
  });

  test("of an app that shows no keys gives tokens for whoever has them", async () => {
    const plain = await newApp();
    const flow = await begin(plain);
    const { tokens } = await redeem(flow, await signInTo(flow, person));
    expect(tokens.token_type).toBe("bearer");
    const other = await begin(plain);
    const form = exchangeOf(plain, other, await signInTo(other, person));
    expect((await postToken(form, { dpop: await proofFor(TOKEN) })).body["token_type"]).toBe("Bearer");
  });
});

/** What a proof of ours has that is wrong. */
const WRONG: readonly [what: string, change: () => Promise<Changes> | Changes, error?: string][] = [
  ["the method of another request", () => ({ claims: { htm: "GET" } })],
  ["the URL of another endpoint", () => ({ claims: { htu: USERINFO } })],
  ["the URL of another host", () => ({ claims: { htu: "https://evil.example/oauth/token" } })],
  ["a URL in another case", () => ({ claims: { htu: `${ISSUER}/OAUTH/token` } })],
  ["no URL", () => ({ claims: { htu: undefined } })],
  ["no id", () => ({ claims: { jti: undefined } })],
  ["an id that is too long", () => ({ claims: { jti: "x".repeat(300) } })],
  ["a time long ago", () => ({ claims: { iat: Math.floor(Date.now() / 1000) - 62 } })],
  ["a time to come", () => ({ claims: { iat: Math.floor(Date.now() / 1000) + 62 } })],
  ["another type", () => ({ header: { typ: "JWT" } })],
  ["the signature of another key", async () => ({ signedBy: (await generateKeyPair("ES256")).privateKey })],
  ["no key", () => ({ header: { jwk: undefined } })],
  ["its private key", async () => ({ header: { jwk: await exportJWK(keys.privateKey) } })],
  ["a shared key", () => ({ header: { alg: "HS256", jwk: { kty: "oct", k: "AAAA" } }, signedBy: new Uint8Array(32) })],
  [
    "the public key as a shared one",
    async () => ({
      header: { alg: "HS256" },
      signedBy: new TextEncoder().encode(JSON.stringify(await exportJWK(keys.publicKey))),
    }),
  ],
  ["no nonce", () => ({ claims: { nonce: undefined } }), "use_dpop_nonce"],
  ["an invented nonce", () => ({ claims: { nonce: "a".repeat(43) } }), "use_dpop_nonce"],
];

describe("a proof is refused", () => {
  const send = (dpop: string) =>
    postToken({ ...proofOf(app), grant_type: "refresh_token", refresh_token: "x" }, { dpop });
  // The token is none, so a proof that is taken ends here.
  const TAKEN = "invalid_grant";

  test("only where it is wrong", async () => {
    expect((await send(await proofFor(TOKEN))).body["error"]).toBe(TAKEN);
    expect((await send(await proofFor(`${TOKEN}?query#fragment`))).body["error"]).toBe(TAKEN);
  });

  test.each(WRONG)("with %s", async (_what, change, error = "invalid_dpop_proof") => {
    const refused = await send(await proofFor(TOKEN, await change()));
    expect([refused.status, refused.body["error"]]).toEqual([400, error]);
    expect(refused.headers.get("dpop-nonce")).toMatch(/^[\w-]{43}$/);
  });

  test("without a signature", async () => {
    const [header, claims] = (await proofFor(TOKEN)).split(".");
    const none = { ...JSON.parse(new TextDecoder().decode(base64url.decode(header ?? ""))), alg: "none" };
    const unsigned = `${base64url.encode(JSON.stringify(none))}.${claims}.`;
    expect((await send(unsigned)).body["error"]).toBe("invalid_dpop_proof");
  });

  test("when it was used: of 20 at once one is taken", async () => {
    const proof = await proofFor(TOKEN);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(proof)));
    expect(answers.filter(({ body }) => body["error"] === TAKEN)).toHaveLength(1);
    expect(answers.filter(({ body }) => body["error"] === "invalid_dpop_proof")).toHaveLength(19);
  });

  test("with a nonce of more than two half minutes ago", async () => {
    const nonce = await freshNonce();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    const late = await send(await proofFor(TOKEN, { claims: { nonce } }));
    vi.useRealTimers();
    expect(late.body["error"]).toBe("use_dpop_nonce");
  });
});

test("the proof of RFC 9449 section 4.2 has the key of section 6.1", async () => {
  const proof =
    "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJo" +
    "RjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJ" +
    "qdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwi" +
    "aWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg";
  const shown = { proof, method: "POST", url: "https://server.example.com/token" };
  expect(await verifyProof(shown, 1_562_262_616_000)).toEqual({
    jkt: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
    id: "-BwC3ESc6acc2lTc",
    nonce: null,
    issuedAt: 1_562_262_616_000,
  });
  expect(await verifyProof({ ...shown, method: "GET" }, 1_562_262_616_000)).toBeNull();
});
