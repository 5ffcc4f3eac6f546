/** Tokens for APIs: one audience each, and what somebody could try with a token that is for another one. */
import { createExecutionContext } from "cloudflare:test";
import { decodeJwt } from "jose";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, test, vi } from "vitest";
import worker from "../../src";
import { createSessionVerifier } from "../../src/sdk/session";
import {
  type App,
  Browser,
  begin,
  clientsKey,
  exchangeOf,
  finished,
  forgetClientsKey,
  HTTP,
  ISSUER,
  newApp,
  postTo,
  proofOf,
  signInTo,
} from "../support/apps";
import { call, type Person, signUpVerified } from "../support/client";
import { countedEnv } from "../support/cost";
import { reach } from "../support/libraries/library";
import { callUnder } from "../support/overrides";
import { type Api, forApis, LISTED, newApi, verifierOf } from "../support/resources";

const OURS = { identifier: `${ISSUER}/api/v1` };
let [notes, mail]: Api[] = [];
let app: App;
let person: Person;

beforeAll(async () => {
  forgetClientsKey();
  [notes, mail] = [await newApi(), await newApi({ name: "Mail" })];
  app = await newApp({
    ...forApis(notes, mail, OURS),
    grants: ["authorization_code", "refresh_token", "client_credentials"],
  });
  person = await signUpVerified();
});

const reasonOf = (work: Promise<unknown>) =>
  work.then(() => "accepted").catch((error) => error.reason ?? String(error));

/** The tokens of a sign-in that asks for APIs; `at` are fields of the exchange. */
async function tokensFor(changes: Record<string, string>, at: Record<string, string> = {}, to = app) {
  const flow = await begin(to, changes);
  const answered = await signInTo(flow, person);
  return (await postTo("/oauth/token", { ...exchangeOf(to, flow, answered), ...at })).body;
}

describe("a token of an app", () => {
  test("is for one API: another one, userinfo, our API and sessions refuse it", async () => {
    const tokens = await tokensFor({ scope: "openid notes.read", resource: notes?.identifier ?? "" });
    const token = String(tokens["access_token"]);
    expect(tokens["scope"]).toBe("notes.read");
    expect(decodeJwt(token)).toMatchObject({ aud: notes?.identifier, client_id: app.id, tid: person.tenantId });
    const access = await verifierOf(notes?.identifier ?? "").verify(token);
    expect(access).toMatchObject({ subject: "user", userId: person.userId, scopes: ["notes.read"], role: null });
    expect(await reasonOf(verifierOf(mail?.identifier ?? "").verify(token))).toBe("WRONG_AUDIENCE");
    for (const audience of ["postern", notes?.identifier ?? ""]) {
      const sessions = createSessionVerifier({ issuer: ISSUER, audience, revocation: "off", fetch: reach });
      expect(await reasonOf(sessions.verify(token))).toBe("WRONG_AUDIENCE");
    }
    expect((await call("GET", "/auth/me", { token })).status).toBe(401);
    expect((await call("GET", "/webhooks", { token })).status).toBe(401);
    const userinfo = await oauth.userInfoRequest((await begin(app)).server, { client_id: app.id }, token, HTTP);
    expect(userinfo.status).toBe(401);
  });

  test("of a session is none for an API, whatever its audience", async () => {
    expect(await reasonOf(verifierOf("postern").verify(person.token ?? ""))).toBe("WRONG_AUDIENCE");
  });

  test("for several APIs is for the one that the app names, and each refresh may name another", async () => {
    const flow = await begin(app, { scope: "openid offline_access notes.read notes.write" });
    const url = `${flow.url}&resource=${notes?.identifier}&resource=${mail?.identifier}/`;
    const answered = await signInTo({ ...flow, url }, person);
    const form = { ...exchangeOf(app, flow, answered), resource: mail?.identifier ?? "" };
    const first = (await postTo("/oauth/token", form)).body;
    expect(decodeJwt(String(first["access_token"]))).toMatchObject({
      aud: mail?.identifier,
      scope: "notes.read notes.write",
    });
    const refresh = { ...proofOf(app), grant_type: "refresh_token", refresh_token: String(first["refresh_token"]) };
    const second = (await postTo("/oauth/token", { ...refresh, resource: notes?.identifier ?? "" })).body;
    expect(decodeJwt(String(second["access_token"])).aud).toBe(notes?.identifier);
    const third = { ...refresh, refresh_token: String(second["refresh_token"]) };
    const userinfo = (await postTo("/oauth/token", { ...third, resource: `${ISSUER}/oauth/userinfo` })).body;
    expect(decodeJwt(String(userinfo["access_token"])).scope).toBe("openid offline_access");
    expect((await postTo("/oauth/token", { ...third, resource: "https://other.example/" })).body["error"]).toBe(
      "invalid_target",
    );
  });

  test("has a refresh token without OpenID Connect, and no ID token", async () => {
    const tokens = await tokensFor({ scope: "notes.read", resource: notes?.identifier ?? "" });
    expect([tokens["id_token"], typeof tokens["refresh_token"]]).toEqual([undefined, "string"]);
  });

  test.each<[what: string, changes: () => Record<string, string | null>, error: string]>([
    ["an unknown API", () => ({ resource: "https://other.example/" }), "invalid_target"],
    ["an API that is not the app's", () => ({ resource: "urn:example:foreign" }), "invalid_target"],
    ["scopes of several APIs, none named", () => ({ scope: "notes.read" }), "invalid_target"],
    [
      "a scope that the API does not have",
      () => ({ scope: "other", resource: notes?.identifier ?? "" }),
      "invalid_scope",
    ],
  ])("is not given for %s", async (_what, changes, error) => {
    await newApi({ identifier: "urn:example:foreign" }).catch(() => undefined);
    const next = (await new Browser().open((await begin(app, { prompt: "none", ...changes() })).url)).next ?? "";
    expect(new URL(next).searchParams.get("error")).toBe(error);
  });

  test("ends for the API within seconds of the app being disconnected, and is inactive at once", async () => {
    const by = await signUpVerified();
    const changes = { scope: "openid offline_access notes.read", resource: notes?.identifier ?? "" };
    const { tokens } = await finished(app, by, undefined, changes);
    const { secret } = (
      await call("POST", `/platform/resources/${notes?.id}/secret`, { token: await clientsKey(), body: {} })
    ).body.data;
    const proof = { client_id: notes?.id ?? "", client_secret: secret };
    const ask = async (token = tokens.access_token, by = proof) =>
      (await postTo("/oauth/introspect", { ...by, token })).body;
    expect(await ask()).toMatchObject({ active: true, aud: notes?.identifier, sub: by.userId });
    const other = await tokensFor({ scope: "openid notes.read", resource: mail?.identifier ?? "" });
    expect(await ask(String(other["access_token"]))).toEqual({ active: false });
    expect(await ask(tokens.refresh_token)).toEqual({ active: false });
    const wrong = { ...proof, client_secret: `${secret.slice(0, -1)}x` };
    expect(await ask(tokens.access_token, wrong)).toMatchObject({ error: "invalid_client" });
    await call("DELETE", `/auth/apps/${app.id}.${by.tenantId}`, { token: by.token });
    expect(await ask()).toEqual({ active: false });
    await vi.waitFor(async () => {
      expect(await reasonOf(verifierOf(notes?.identifier ?? "").verify(tokens.access_token))).toBe("REVOKED");
    }, LISTED);
  });
});

describe("a program that acts for itself", () => {
  const ask = async (fields: Record<string, string>, to = app) =>
    (await postTo("/oauth/token", { ...proofOf(to), grant_type: "client_credentials", ...fields })).body;

  test("gets a token for one API in one tenant, which its library reads", async () => {
    const server = (await begin(app)).server;
    const params = { resource: notes?.identifier ?? "", tenant: person.tenantId, scope: "notes.write" };
    const proof = oauth.ClientSecretPost(app.secret ?? "");
    const client = { client_id: app.id };
    const response = await oauth.clientCredentialsGrantRequest(server, client, proof, params, HTTP);
    const tokens = await oauth.processClientCredentialsResponse(server, client, response);
    const access = await verifierOf(notes?.identifier ?? "").verify(tokens.access_token);
    expect(access).toMatchObject({
      subject: "client",
      userId: null,
      clientId: app.id,
      tenantId: person.tenantId,
      scopes: ["notes.write"],
      authTime: null,
    });
    expect(tokens.refresh_token).toBeUndefined();
    expect(await ask({ ...params, token: "" })).toMatchObject({ scope: "notes.write" });
    const form = { ...proofOf(app), token: tokens.access_token };
    expect((await postTo("/oauth/introspect", form)).body["active"]).toBe(true);
    await postTo("/oauth/revoke", form);
    expect((await postTo("/oauth/introspect", form)).body).toEqual({ active: false });
  });

  test.each<[what: string, fields: () => Record<string, string>, error: string]>([
    ["no tenant", () => ({ resource: notes?.identifier ?? "" }), "invalid_request"],
    ["an unknown tenant", () => ({ resource: notes?.identifier ?? "", tenant: "ext:nobody" }), "invalid_request"],
    [
      "the tenant of the platform",
      () => ({ resource: notes?.identifier ?? "", tenant: "platform" }),
      "invalid_request",
    ],
    ["no API, of several", () => ({ tenant: person.tenantId }), "invalid_target"],
    ["scopes of OpenID Connect", () => ({ resource: OURS.identifier, scope: "openid" }), "invalid_scope"],
  ])("gets none with %s", async (_what, fields, error) => {
    expect((await ask(fields()))["error"]).toBe(error);
  });

  test("gets none without a proof, without the grant, and in a tenant that it is not for", async () => {
    const fields = { resource: notes?.identifier ?? "", tenant: person.tenantId };
    expect((await ask(fields, { id: app.id }))["error"]).toBe("invalid_client");
    const without = await newApp(forApis(notes as Api));
    expect((await ask(fields, without))["error"]).toBe("unauthorized_client");
    const other = await signUpVerified();
    const grants = ["client_credentials"];
    const elsewhere = await newApp({ ...forApis(notes as Api), grants, tenants: [other.tenantId] });
    expect((await ask(fields, elsewhere))["error"]).toBe("invalid_request");
  });
});

describe("our own API", () => {
  const asking = { scope: "openid webhook.read member.manage", resource: OURS.identifier };

  test("takes its tokens where it takes API keys, within the scopes and the role", async () => {
    const token = String((await tokensFor(asking))["access_token"]);
    expect((await call("GET", "/webhooks", { token })).status).toBe(200);
    for (const path of ["/auth/me", "/api-keys", "/platform/clients", "/tenant/apps"]) {
      expect([path, (await call("GET", path, { token })).status]).toEqual([path, 401]);
    }
    expect((await call("GET", "/webhooks", { token, headers: { "postern-tenant": "ext:other" } })).status).toBe(404);
  });

  test("acts as the person, and says with which app", async () => {
    const scope = "openid webhook.create webhook.read audit.read";
    const token = String((await tokensFor({ ...asking, scope }))["access_token"]);
    const body = { name: "x", url: "https://hooks.example/x", events: ["OrderPaid"], secret: "a-signing-secret" };
    expect((await call("POST", "/webhooks", { token, body })).status).toBe(201);
    const { data } = (await call("GET", "/audit?action=webhook.created&limit=1", { token })).body;
    expect(data[0]).toMatchObject({ actor: { kind: "user", id: person.userId }, meta: { app: app.id } });
  });

  test("refuses a token at once when the app is disconnected, blocked or disabled", async () => {
    const by = await signUpVerified();
    const own = await newApp(forApis(OURS));
    const { tokens } = await finished(own, by, undefined, asking);
    const status = async () => (await call("GET", "/webhooks", { token: tokens.access_token })).status;
    expect(await status()).toBe(200);
    const key = await clientsKey();
    await call("PUT", `/tenant/apps/${own.id}`, { token: by.token, body: { state: "blocked" } });
    expect(await status()).toBe(401);
    await call("PUT", `/tenant/apps/${own.id}`, { token: by.token, body: { state: null } });
    expect(await status()).toBe(200);
    await call("PATCH", `/platform/clients/${own.id}`, { token: key, body: { enabled: false } });
    expect(await status()).toBe(401);
    await call("PATCH", `/platform/clients/${own.id}`, { token: key, body: { enabled: true } });
    await call("DELETE", `/auth/apps/${own.id}.${by.tenantId}`, { token: by.token });
    expect(await status()).toBe(401);
  });

  test("lets a program act within its scopes, by its own name", async () => {
    const form = { ...proofOf(app), grant_type: "client_credentials", tenant: person.tenantId };
    const asked = { ...form, resource: OURS.identifier, scope: "webhook.read audit.read webhook.create" };
    const token = String((await postTo("/oauth/token", asked)).body["access_token"]);
    const body = { name: "y", url: "https://hooks.example/y", events: ["OrderPaid"], secret: "a-signing-secret" };
    expect((await call("POST", "/webhooks", { token, body })).status).toBe(201);
    const { data } = (await call("GET", "/audit?action=webhook.created&limit=1", { token })).body;
    expect(data[0].actor).toMatchObject({ kind: "client", id: app.id, name: "Shop" });
    expect((await call("DELETE", `/webhooks/${crypto.randomUUID()}`, { token })).status).toBe(403);
    await postTo("/oauth/revoke", { ...proofOf(app), token });
    expect((await call("GET", "/webhooks", { token })).status).toBe(401);
  });

  test("says how it is reached, and is no API to those who may not", async () => {
    const path = "/.well-known/oauth-protected-resource/api/v1";
    const { body } = await callUnder({}, { method: "GET", path });
    expect(body).toMatchObject({ resource: OURS.identifier, authorization_servers: [ISSUER] });
    const refused = await call("GET", "/webhooks", {});
    expect(refused.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${ISSUER}${path}"`);
    const without = await newApp();
    const next = (await new Browser().open((await begin(without, { ...asking, prompt: "none" })).url)).next ?? "";
    expect(new URL(next).searchParams.get("error")).toBe("invalid_target");
    const off = { OAUTH_SERVER: "off" };
    expect((await callUnder(off, { method: "GET", path })).status).toBe(404);
    const token = String((await tokensFor(asking))["access_token"]);
    expect((await callUnder(off, { method: "GET", path: "/api/v1/webhooks", token })).status).toBe(401);
  });
});

test("costs one trip and no row: a program's token, a call of our API with it, and a forged one none", async () => {
  const { counted, cost } = countedEnv();
  const send = async (request: Request) => {
    const before = { ...cost };
    // What is recorded to the minute has been: the last use of the client.
    const response = await worker.fetch(request as never, counted as Env, createExecutionContext());
    const body = await response.json<Record<string, unknown>>();
    return { status: response.status, body, cost: [cost.trips - before.trips, cost.rowsWritten - before.rowsWritten] };
  };
  const ask = () => {
    const form = { ...proofOf(app), grant_type: "client_credentials", tenant: person.tenantId, scope: "webhook.read" };
    const body = new URLSearchParams({ ...form, resource: OURS.identifier });
    return send(new Request(`${ISSUER}/oauth/token`, { method: "POST", body, headers: { "cf-connecting-ip": "::1" } }));
  };
  await ask();
  const given = await ask();
  expect([given.status, given.cost]).toEqual([200, [1, 0]]);
  const call = (token: string) =>
    send(new Request(`${ISSUER}/api/v1/webhooks`, { headers: { authorization: `Bearer ${token}` } }));
  const token = String(given.body["access_token"]);
  const { sub } = decodeJwt(token);
  expect(sub).toBe(app.id);
  const refused = await call(`${token.slice(0, -4)}AAAA`);
  expect([refused.status, refused.cost]).toEqual([401, [0, 0]]);
});
