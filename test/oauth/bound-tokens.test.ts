/** Tokens that are bound to a key, at our API and at an API of the product: a library of the field makes the proofs. */
import { exports } from "cloudflare:workers";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, test } from "vitest";
import type { ResourceVerifier } from "../../src/sdk/session";
import { type App, forgetClientsKey, HTTP, ISSUER, newApp, proofOf } from "../support/apps";
import { newAddress, type Person, signUpVerified } from "../support/client";
import { type Api, forApis, newApi, verifierOf } from "../support/resources";

const OURS = { identifier: `${ISSUER}/api/v1` };
const WEBHOOKS = `${ISSUER}/api/v1/webhooks`;
let api: Api;
let app: App;
let person: Person;
let keys: CryptoKeyPair;
let access: ResourceVerifier;

beforeAll(async () => {
  forgetClientsKey();
  [api, person, keys] = [await newApi(), await signUpVerified(), await oauth.generateKeyPair("ES256")];
  app = await newApp({ ...forApis(api, OURS), grants: ["client_credentials"], redirectUrls: [], dpop: "allowed" });
  access = verifierOf(api.identifier);
});

/** The token of a program, bound to a key where one is given. */
async function tokenFor(resource: string, scope: string, DPoP?: oauth.DPoPHandle): Promise<string> {
  const server = await oauth.processDiscoveryResponse(
    new URL(ISSUER),
    await oauth.discoveryRequest(new URL(ISSUER), HTTP),
  );
  const client = { client_id: app.id };
  const params = { resource, scope, tenant: person.tenantId };
  const ask = async () => {
    const proof = oauth.ClientSecretPost(proofOf(app)["client_secret"] ?? "");
    const options = { ...HTTP, ...(DPoP ? { DPoP } : {}) };
    const response = await oauth.clientCredentialsGrantRequest(server, client, proof, params, options);
    return (await oauth.processClientCredentialsResponse(server, client, response)).access_token;
  };
  return ask().catch((error: unknown) => {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return ask();
  });
}

const handle = (pair = keys) => oauth.DPoP({}, pair);

/** The request of the library to an API, which is not sent. */
async function requestOf(token: string, url: string, DPoP?: oauth.DPoPHandle, method = "GET"): Promise<Request> {
  let made: Request | undefined;
  const customFetch = async (to: string, init: RequestInit) => {
    made = new Request(to, init);
    return new Response(null);
  };
  const options = { [oauth.customFetch]: customFetch as never, ...(DPoP ? { DPoP } : {}) };
  await oauth.protectedResourceRequest(token, method, new URL(url), new Headers(), null, options);
  return made ?? new Request(url);
}

/** The same with other headers. */
function changed(request: Request, headers: Record<string, string | null>): Request {
  const next = new Headers(request.headers);
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return new Request(request.url, { method: request.method, headers: next });
}

const atOurs = async (request: Request): Promise<number> => {
  const { status } = await exports.default.fetch(changed(request, { "cf-connecting-ip": newAddress() }));
  return status;
};
const atTheirs = async (request: Request): Promise<number> =>
  access.verify(request).then(
    () => 200,
    ({ reason, status }: { reason: string; status: number }) => {
      expect(reason).toBe("INVALID_PROOF");
      return status;
    },
  );

describe.each<[where: string, resource: () => string, scope: string, url: () => string, ask: typeof atOurs]>([
  ["our API", () => OURS.identifier, "webhook.read", () => WEBHOOKS, atOurs],
  ["an API of the product", () => api.identifier, "notes.read", () => api.identifier, atTheirs],
])("at %s, a token that is bound to a key", (_where, resource, scope, url, ask) => {
  test("opens what it is for with a proof, once", async () => {
    const token = await tokenFor(resource(), scope, handle());
    const request = await requestOf(token, url(), handle());
    expect([await ask(request.clone()), await ask(request)]).toEqual([200, 401]);
    const again = await requestOf(token, `${url()}?page=2`, handle());
    const tries = await Promise.all(Array.from({ length: 10 }, () => ask(again.clone())));
    expect(tries.toSorted()).toEqual([200, ...Array(9).fill(401)]);
  });

  test("opens nothing without a proof of its key, for it and for the request; nor does another token with one", async () => {
    const token = await tokenFor(resource(), scope, handle());
    const [good, plain] = [await requestOf(token, url(), handle()), await tokenFor(resource(), scope)];
    const foreign = handle(await oauth.generateKeyPair("ES256"));
    const refused = [
      changed(good, { authorization: `Bearer ${token}` }),
      changed(good, { authorization: `Bearer ${token}`, dpop: null }),
      changed(good, { dpop: null }),
      changed(good, { dpop: "a.b.c" }),
      await requestOf(token, url(), foreign),
      changed(await requestOf(await tokenFor(resource(), scope, handle()), url(), handle()), {
        authorization: `DPoP ${token}`,
      }),
      changed(await requestOf(token, `${url()}/other`, handle()), {}),
      await requestOf(plain, url(), handle()),
    ];
    const elsewhere = refused.map((one) => new Request(url(), { headers: one.headers }));
    expect(await Promise.all(elsewhere.map((one) => ask(one)))).toEqual(elsewhere.map(() => 401));
    const posted = await requestOf(token, url(), handle(), "POST");
    expect(await ask(new Request(url(), { headers: posted.headers }))).toBe(401);
    expect(await ask(good)).toBe(200);
  });
});

test("each algorithm of proofs is taken by the verifier, and an API tells which", async () => {
  for (const algorithm of ["ES256", "RS256", "PS256"]) {
    const own = handle(await oauth.generateKeyPair(algorithm));
    const token = await tokenFor(api.identifier, "notes.read", own);
    expect([algorithm, await atTheirs(await requestOf(token, api.identifier, own))]).toEqual([algorithm, 200]);
  }
  const token = await tokenFor(api.identifier, "notes.read", handle());
  const error = await access.verify(token).catch((refusal: unknown) => refusal);
  expect(access.challenge(error)).toMatch(/^DPoP error="invalid_dpop_proof", algs="EdDSA ES256 RS256 PS256"/);
});

test("a session and a key are never shown with a proof", async () => {
  for (const credential of [person.token ?? "", "ak_nobody"]) {
    expect(await atOurs(new Request(WEBHOOKS, { headers: { authorization: `DPoP ${credential}`, dpop: "x" } }))).toBe(
      401,
    );
  }
});
