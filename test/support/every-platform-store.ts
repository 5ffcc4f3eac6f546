/** Uses the stores of operators, of platform keys and of the platform API. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { createDeps } from "../../src/base/deps";
import { clearImports } from "../../src/service/imports/clear";
import { continueMoves } from "../../src/service/moves/continue";
import { checkDomains } from "../../src/sign-on/domains/daily";
import { publishToTenant } from "../../src/webhooks/plane/tenant-events";
import { continuePlatformFeed } from "../../src/webhooks/platform-events/feed";
import { begin, CALLBACK, finished, ISSUER, postTo, proofOf, signInTo, userinfoOf } from "./apps";
import { call, type Person, signUpVerified } from "./client";
import { newDomain, proveByDns, setZone } from "./domains";
import { runImports } from "./imports";
import { mailTo, tokenIn } from "./mailbox";
import { operate, operator } from "./operators";
import { newInbox, subscribe } from "./receiver";
import { newResourceUrl, SCOPES } from "./resources";
import { SHARD } from "./shard";
import { maintain } from "./upkeep";

/** `id` is of a subscription, and `exporter` somebody who may be suspended. */
export async function operateAll(id: string, exporter: Person): Promise<void> {
  const op = await operator();
  await usePlatformKeys(op.token, id);
  await useDomains(op);
  await useApps(op.token, await signUpVerified());
  for (const path of [
    "/status",
    `/search?q=${id}`,
    "/search?q=zz",
    `/tenants/${op.tenantId}`,
    `/people/${op.userId}`,
  ]) {
    await operate(op, "GET", path);
  }
  for (const change of ["suspend", "resume"]) {
    await operate(op, "POST", `/tenants/${op.tenantId}/${change}`, { reason: "a test" });
  }
  for (const change of ["sessions/revoke", "suspend", "resume"]) {
    await operate(op, "POST", `/people/${exporter.userId}/${change}`, { reason: "a test" });
  }
  await operate(op, "POST", `/people/${op.userId}/two-factor/remove`, {});
  const mover = await signUpVerified();
  const moved = await subscribe(mover, newInbox("200").url);
  await operate(op, "POST", `/tenants/${mover.tenantId}/move`, { shard: 1 - SHARD });
  await continueMoves(await createDeps(env, createExecutionContext()), 0, "", () => false);
  // Writes the copy in the former database too.
  await call("POST", `/webhooks/${moved}/pause`, { token: mover.token });
  const waiting = await signUpVerified();
  await operate(op, "POST", `/tenants/${waiting.tenantId}/move`, { shard: 1 - SHARD });
  for (let times = 0; times < 2; times += 1) await operate(op, "POST", `/tenants/${waiting.tenantId}/move/cancel`, {});
  const removal = { token: tokenIn(await mailTo(op.email, /Remove your lost/)) };
  await call("POST", "/auth/2fa/remove", { body: removal });
}

/** The stores of platform keys, and of the tenant of the platform. */
async function usePlatformKeys(token: string, id: string): Promise<void> {
  const headers = { "postern-tenant": "platform" };
  await call("POST", "/event-types", { token, headers, body: { name: "p", schema: { type: "integer" } } });
  await call("PATCH", "/event-types/p", { token, headers, body: { enforce: "warn" } });
  await call("DELETE", "/event-types/p", { token, headers });
  const hook = { name: "product", url: newInbox("200").url, events: ["*"], secret: "a-signing-secret" };
  const subscription = (await call("POST", "/webhooks", { token, headers, body: hook })).body.data._id;
  const made = await call("POST", "/platform/keys", { token, body: { name: "k", scopes: ["audit.read"] } });
  const path = `/platform/keys/${made.body.data.id}`;
  await call("GET", "/platform/keys", { token });
  await call("GET", "/audit", { token: made.body.data.key, headers: { "postern-tenant": `ext:${id}` } });
  await useDirectory(token);
  await maintain(await createDeps(env, createExecutionContext()), continuePlatformFeed);
  // Purges wait for the feed, which ends without a subscription.
  await call("DELETE", `/webhooks/${subscription}`, { token, headers });
  await maintain(await createDeps(env, createExecutionContext()), continuePlatformFeed);
  await call("POST", `${path}/rotate`, { token, body: {} });
  await call("DELETE", `${path}/previous`, { token, body: {} });
  await call("DELETE", path, { token, body: {} });
}

/** The stores of domains. */
async function useDomains(op: Person): Promise<void> {
  const [former, next] = [await signUpVerified(), await signUpVerified()];
  const domain = newDomain();
  await proveByDns(former, domain);
  const deps = await createDeps(env, createExecutionContext());
  await setZone(domain, { one: "nothing", two: "nothing" });
  await maintain(deps, checkDomains);
  await operate(op, "POST", `/domains/${domain}/move`, { tenantId: next.tenantId, reason: "a test" });
  await publishToTenant(deps, next.tenantId, "postern.domain.lost", { domain });
  await call("GET", "/tenant/domains", { token: next.token });
  await call("DELETE", `/tenant/domains/${domain}`, { token: next.token });
}

/** The stores of the apps that people sign in to. */
async function useApps(token: string, person: Person): Promise<void> {
  const body = { name: "Shop", redirectUrls: [CALLBACK] };
  const app = (await call("POST", "/platform/clients", { token, body })).body.data;
  const { flow, tokens, claims } = await finished(app, person, undefined, { scope: "openid offline_access" });
  await userinfoOf(flow, tokens.access_token, claims.sub);
  const refresh = { ...proofOf(app), grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "" };
  const { refresh_token: next } = (await postTo("/oauth/token", refresh)).body;
  await postTo("/oauth/introspect", { ...proofOf(app), token: String(next) });
  await postTo("/oauth/token", { ...refresh, refresh_token: String(next) });
  // Used again, after its successor.
  await postTo("/oauth/token", refresh);
  await postTo("/oauth/revoke", { ...proofOf(app), token: tokens.access_token });
  const again = await finished(app, person);
  await again.browser.open(`/oauth/logout?id_token_hint=${again.tokens.id_token}`);
  await useKey(token);
  await useResources(token, person);
  await useOwnApps(person);
  const [clientId, redirect_uris] = ["https://good-list.apps.example/app.json", ["http://127.0.0.1/callback"]];
  const document = { client_id: clientId, client_name: "Agent", redirect_uris };
  await call("POST", "/platform/clients", { token, body: { clientId, document } });
  await call("GET", `/platform/clients/${encodeURIComponent(clientId)}`, { token });
  await call("GET", "/auth/apps", { token: person.token });
  await call("DELETE", `/auth/apps/${app.id}.${person.tenantId}`, { token: person.token });
  await call("GET", "/tenant/apps", { token: person.token });
  await call("GET", "/platform/apps", { token });
  await call("PUT", `/platform/apps/${app.id}`, { token, body: { state: "blocked" } });
  await call("GET", "/platform/clients", { token });
  await call("PATCH", `/platform/clients/${app.id}`, {
    token,
    body: { name: "Store", backchannelLogoutUrl: CALLBACK },
  });
  await call("POST", `/platform/clients/${app.id}/secret`, { token, body: {} });
  await call("DELETE", `/platform/clients/${app.id}/secret/previous`, { token });
  await call("POST", `/platform/clients/${app.id}/revoke`, { token, body: {} });
  await call("DELETE", `/platform/clients/${app.id}`, { token });
}

/** The stores of APIs, of programs that act for themselves and of our own API. */
async function useResources(token: string, person: Person): Promise<void> {
  const identifier = `https://notes.example/${crypto.randomUUID()}`;
  const scopes = [{ name: "notes.read", description: "Read your notes", default: true }];
  const api = (
    await call("POST", "/platform/resources", { token, body: { name: "Notes", identifier, scopes, unlisted: true } })
  ).body.data;
  await call("GET", "/platform/resources", { token });
  await call("PATCH", `/platform/resources/${api.id}`, { token, body: { name: "Papers" } });
  const { secret } = (await call("POST", `/platform/resources/${api.id}/secret`, { token, body: {} })).body.data;
  const ours = `${ISSUER}/api/v1`;
  const resources = [identifier, ours].map((one) => ({ identifier: one, scopes: ["*"] }));
  const grants = ["authorization_code", "client_credentials"];
  const settings = { name: "Shop", redirectUrls: [CALLBACK], grants, resources };
  const app = (await call("POST", "/platform/clients", { token, body: settings })).body.data;
  const asked = { ...proofOf(app), grant_type: "client_credentials", resource: identifier, tenant: person.tenantId };
  const { access_token: machine } = (await postTo("/oauth/token", asked)).body;
  await postTo("/oauth/introspect", { client_id: api.id, client_secret: secret, token: String(machine) });
  await postTo("/oauth/revoke", { ...proofOf(app), token: String(machine) });
  const forOurs = { ...asked, resource: ours, scope: "webhook.read" };
  await call("GET", "/webhooks", { token: String((await postTo("/oauth/token", forOurs)).body["access_token"]) });
  const { tokens } = await finished(app, person, undefined, { scope: "openid webhook.read", resource: ours });
  await call("GET", "/webhooks", { token: tokens.access_token });
  const host = "https://good-store.apps.example";
  const asking = { redirect_uri: `${host}/callback`, scope: "notes.read", resource: identifier };
  await signInTo(await begin({ id: `${host}/app.json` }, asking), person);
  await call("DELETE", `/platform/resources/${api.id}`, { token, body: {} });
}

/** The stores of the apps and APIs of a tenant. */
async function useOwnApps({ token }: Person): Promise<void> {
  const body = { name: "Wiki", redirectUrls: [CALLBACK] };
  const { id } = (await call("POST", "/tenant/clients", { token, body })).body.data;
  const api = { name: "Notes", identifier: newResourceUrl(), scopes: SCOPES };
  const made = (await call("POST", "/tenant/resources", { token, body: api })).body.data;
  for (const kind of ["clients", "resources"]) await call("GET", `/tenant/${kind}`, { token });
  await call("DELETE", `/tenant/clients/${id}`, { token, body: {} });
  await call("DELETE", `/tenant/resources/${made.id}`, { token, body: {} });
}

/** What an app asks that proves itself with a key. */
async function useKey(token: string): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const auth = { redirectUrls: [CALLBACK], auth: "private_key_jwt", jwks: { keys: [await exportJWK(publicKey)] } };
  const { id } = (await call("POST", "/platform/clients", { token, body: { name: "Shop", ...auth } })).body.data;
  const claims = new SignJWT().setIssuer(id).setSubject(id).setAudience(ISSUER).setJti("a").setExpirationTime("1m");
  const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  const client_assertion = await claims.setProtectedHeader({ alg: "ES256" }).sign(privateKey);
  await postTo("/oauth/introspect", { client_assertion_type: type, client_assertion, token: "a" });
}

/** The stores of imports. */
async function useImports(token: string): Promise<void> {
  const raw = JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, totp: { secret: "JBSWY3DPEHPK3PXP" } });
  const headers = { "content-type": "application/x-ndjson" };
  const path = "/platform/imports?onExisting=update&dryRun=";
  await call("POST", `${path}true`, { token, raw, headers });
  const { id } = (await call("POST", `${path}false`, { token, raw, headers })).body.data;
  await runImports();
  await call("GET", "/platform/imports", { token });
  await call("GET", `/platform/imports/${id}/report?outcome=created`, { token });
  await call("DELETE", `/platform/imports/${id}`, { token });
  await maintain(await createDeps(env, createExecutionContext()), clearImports);
}

/** The stores of the platform API. */
async function useDirectory(operatorToken: string): Promise<void> {
  const scopes = ["tenants.*", "users.*", "members.*"];
  const made = await call("POST", "/platform/keys", { token: operatorToken, body: { name: "k", scopes } });
  const token = made.body.data.key;
  await useImports(token);
  const tenantId = (await call("POST", "/platform/tenants", { token, body: { name: "Shop" } })).body.data.id;
  const email = `${crypto.randomUUID()}@example.com`;
  const userId = (await call("POST", "/platform/users", { token, body: { email } })).body.data.id;
  for (const list of ["tenants", "users"]) {
    const { nextCursor } = (await call("GET", `/platform/${list}?limit=1`, { token })).body;
    await call("GET", `/platform/${list}?limit=1&cursor=${nextCursor}&externalId=x`, { token });
  }
  const members = `/platform/tenants/${tenantId}/members`;
  await call("POST", members, { token, body: { user: userId, role: "owner" } });
  await call("GET", members, { token });
  await call("PATCH", `${members}/${userId}`, { token, body: { role: "owner" } });
  // Refused, since nobody else owns it; the statements run all the same.
  await call("DELETE", `${members}/${userId}`, { token });
  await call("PATCH", `/platform/users/${userId}`, { token, body: { email: `other-${email}` } });
  await call("GET", `/platform/users/${userId}`, { token });
  await call("PATCH", `/platform/tenants/${tenantId}`, { token, body: { name: "Other" } });
  await call("DELETE", `/platform/tenants/${tenantId}`, { token });
  await call("DELETE", `/platform/users/${userId}`, { token, body: {} });
}
