/** Apps that prove themselves with a key (private_key_jwt), with a library of the field as their client. */
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import { beforeAll, expect, test } from "vitest";
import {
  type App,
  begin,
  clientsKey,
  discover,
  forgetClientsKey,
  HTTP,
  ISSUER,
  newApp,
  postTo,
  redeem,
  signInTo,
} from "../support/apps";
import { call, type Person, signUpVerified } from "../support/client";

const ALGORITHMS = ["ES256", "RS256"] as const;
const keys = new Map<string, CryptoKeyPair>();
let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  for (const alg of ALGORITHMS) keys.set(alg, await generateKeyPair(alg, { extractable: true }));
  const jwks = {
    keys: await Promise.all([...keys].map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid }))),
  };
  [app, person] = [await newApp({ auth: "private_key_jwt", jwks }), await signUpVerified()];
});

const keyOf = (alg: string): CryptoKey => keys.get(alg)?.privateKey as CryptoKey;

test.each(ALGORITHMS)("a library proves an app with a key of %s", async (alg) => {
  const flow = await begin(app);
  const proof = oauth.PrivateKeyJwt({ key: keyOf(alg), kid: alg });
  const { tokens } = await redeem({ ...flow, proof }, await signInTo(flow, person));
  const revoked = await oauth.revocationRequest(flow.server, flow.client, proof, tokens.access_token, HTTP);
  expect([app.secret, revoked.status]).toEqual([undefined, 200]);
});

const sign = (changes: Record<string, unknown> = {}, key = keyOf("ES256")) => {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: app.id, sub: app.id, aud: ISSUER, exp: now + 60, jti: crypto.randomUUID(), ...changes };
  return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "ES256" }).sign(key);
};
const ask = (client_assertion: string, fields: Record<string, string> = {}) =>
  postTo("/oauth/introspect", {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion,
    token: "abc",
    ...fields,
  });

test("an assertion works once: of 20 at once one wins", async () => {
  const assertion = await sign();
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(assertion)));
  expect(answers.filter(({ status }) => status === 200).map(({ body }) => body)).toEqual([{ active: false }]);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
});

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
test.each<[what: string, works: boolean, changes: () => Record<string, unknown>]>([
  [
    "for the token endpoint and its own URL",
    true,
    () => ({ aud: [`${ISSUER}/oauth/token`, `${ISSUER}/oauth/introspect`] }),
  ],
  ["for somebody else too", false, () => ({ aud: [ISSUER, "https://other.example"] })],
  ["for nobody", false, () => ({ aud: [] })],
  ["of another issuer", false, () => ({ iss: "https://other.example" })],
  ["of another client", false, () => ({ sub: "pc_0000000000000000000000000000" })],
  ["over its time", false, () => ({ exp: inSeconds(-10) })],
  ["for more than five minutes", false, () => ({ exp: inSeconds(400) })],
  ["without an id", false, () => ({ jti: undefined })],
])("an assertion %s works: %s", async (_what, works, changes) => {
  expect((await ask(await sign(changes()), { client_id: app.id })).status).toBe(works ? 200 : 401);
});

test("another key, another way beside it, and no assertion at all are refused", async () => {
  const foreign = (await generateKeyPair("ES256")).privateKey;
  expect((await ask(await sign({}, foreign))).status).toBe(401);
  expect((await ask(await sign(), { client_secret: "pcs_x" })).body["error"]).toBe("invalid_request");
  expect((await postTo("/oauth/introspect", { client_id: app.id, token: "abc" })).status).toBe(401);
  expect((await discover()).token_endpoint_auth_methods_supported).toContain("private_key_jwt");
});

test("an app proves itself with the keys that it publishes, which may be others than those we take", async () => {
  const key = await exportJWK(keys.get("ES256")?.publicKey as CryptoKey);
  const document = {
    keys: [
      { ...key, kid: "ES256" },
      { kty: "oct", k: "AAAA" },
    ],
  };
  const at = (json: string) => `https://receiver.example/json/${btoa(json).replaceAll("/", "%2F")}`;
  const prove = async (jwksUrl: string) => {
    const own = await newApp({ auth: "private_key_jwt", jwksUrl });
    return (await ask(await sign({ iss: own.id, sub: own.id }))).status;
  };
  expect(await prove(at(JSON.stringify(document)))).toBe(200);
  for (const json of ['{"keys":1}', '{"keys":[null]}', "[", "null"]) expect(await prove(at(json))).toBe(401);
  expect(await prove("https://receiver.example/404/x")).toBe(401);
  expect(await prove("https://receiver.example/redirect/x")).toBe(401);
});

test.each<[what: string, fields: () => Promise<object>]>([
  ["keys at http", async () => ({ jwksUrl: "http://keys.example/" })],
  [
    "keys in two places",
    async () => ({ jwks: { keys: [await exportJWK(keyOf("ES256"))] }, jwksUrl: "https://a.example/" }),
  ],
  ["no keys", async () => ({ jwks: { keys: [] } })],
  ["a private key", async () => ({ jwks: { keys: [await exportJWK(keyOf("ES256"))] } })],
  ["a shared key", async () => ({ jwks: { keys: [{ kty: "oct", k: "AAAA" }] } })],
  ["a curve that we do not take", async () => ({ jwks: { keys: [{ kty: "EC", crv: "P-384", x: "A", y: "A" }] } })],
  [
    "keys beside a secret",
    async () => ({ auth: "secret", jwks: { keys: [{ kty: "OKP", crv: "Ed25519", x: "A".repeat(43) }] } }),
  ],
  ["none where it needs them", async () => ({})],
])("a client with %s is refused", async (_what, fields) => {
  const body = {
    name: "Shop",
    redirectUrls: ["https://shop.example/callback"],
    auth: "private_key_jwt",
    ...(await fields()),
  };
  const answer = await call("POST", "/platform/clients", { token: await clientsKey(), body });
  expect([answer.status, answer.body.details[0].path]).toEqual([400, expect.stringMatching(/^jwks/)]);
});
