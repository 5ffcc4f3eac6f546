/** Connections to the providers of provider-worker.mjs, and browsers that sign on through them. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { base64url } from "jose";
import { createDeps } from "../../src/base/deps";
import { renewConnections } from "../../src/sign-on/renewal/renew";
import { call, type Person } from "./client";
import { vouchedDomain } from "./domains";
import {
  type Browser,
  claimsOf,
  codeFor,
  type departureOf,
  newBrowser,
  departureOf as readDeparture,
  type Script,
} from "./oauth";

export const ISSUER = "https://id.issuer.example";
const SIGN_ON = "/api/v1/auth/sign-on";

export type Departure = ReturnType<typeof departureOf>;

/** A connection of the owner's tenant, complete unless `fields` say otherwise. */
export async function connect({ token }: Person, { oidc = {}, ...fields }: Record<string, unknown> = {}) {
  const answer = await call("POST", "/tenant/connections", {
    token,
    body: {
      name: "Okta",
      oidc: { issuer: ISSUER, clientId: "an-id", clientSecret: "a-secret", ...(oidc as object) },
      ...fields,
    },
  });
  if (answer.status !== 201) throw new Error(`connection answered ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

/** Sends a browser to the provider, by a query of `/auth/sign-on` or by the address of a test. */
export async function leave(browser: Browser, address: string): Promise<Departure> {
  const { search } = new URL(address, "https://postern.test");
  return readDeparture((await browser.send("GET", `${SIGN_ON}${search}`)).location);
}

/** Brings a browser back from the provider. Returns where the service sends it on to. */
export async function arrive(
  browser: Browser,
  id: string,
  departure: Departure,
  script: Script,
  more: Record<string, string> = {},
): Promise<URL> {
  const query = new URLSearchParams({ state: departure.state, code: codeFor(departure, script), ...more });
  const { location } = await browser.send("GET", `${SIGN_ON}/${id}/callback?${query}`);
  return new URL(location ?? "");
}

/** Tests a connection, with settings that differ for the browser, and returns the trace. */
export async function testConnection(
  { token }: Person,
  id: string,
  claims: Record<string, unknown> = {},
  variables: Record<string, unknown> = {},
) {
  const { url, traceId } = (await call("POST", `/tenant/connections/${id}/test`, { token, body: {} })).body.data;
  const browser = newBrowser(variables);
  const departure = await leave(browser, url);
  const back = await arrive(browser, id, departure, { claims: claimsOf(departure, claims) });
  const { body } = await call("GET", `/tenant/connections/${id}/traces/${traceId}`, { token });
  return { trace: body.data, back };
}

/** Somebody new of a domain that the tenant has proved. */
export async function testerOf({ tenantId }: Pick<Person, "tenantId">): Promise<{ email: string; name: string }> {
  return { email: `tester-${crypto.randomUUID()}@${await vouchedDomain(tenantId)}`, name: "Ada" };
}

/** Tests and activates a connection. */
export async function open(owner: Person, id: string): Promise<void> {
  await testConnection(owner, id, await testerOf(owner));
  const answer = await call("POST", `/tenant/connections/${id}/activate`, { token: owner.token, body: {} });
  if (answer.status !== 200) throw new Error(`activation answered ${JSON.stringify(answer.body)}`);
}

/** What a logout token says, unless the test changes it. */
export const logoutClaims = (claims: Record<string, unknown> = {}) => ({
  iss: ISSUER,
  aud: "an-id",
  iat: Math.floor(Date.now() / 1000),
  exp: Math.floor(Date.now() / 1000) + 120,
  jti: crypto.randomUUID(),
  events: { "http://schemas.openid.net/event/backchannel-logout": {} },
  ...claims,
});

/** A logout token, which the provider signs as any ID token. */
export async function logoutToken(claims: Record<string, unknown>, script: Omit<Script, "claims"> = {}) {
  const verifier = crypto.randomUUID();
  const challenge = base64url.encode(
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))),
  );
  const whole = { header: { typ: "logout+jwt", ...script.header }, claims: logoutClaims(claims) };
  const code = base64url.encode(JSON.stringify({ ...script, ...whole, challenge }));
  const form = {
    code,
    code_verifier: verifier,
    client_id: "an-id",
    client_secret: "a-secret",
    redirect_uri: `https://postern.test${SIGN_ON}/`,
  };
  const answer = await env.RECEIVER.fetch(`${ISSUER}/token`, { method: "POST", body: new URLSearchParams(form) });
  return ((await answer.json()) as { id_token: string }).id_token;
}

/** Sends a logout token as a provider does. */
export const sendLogout = (id: string, token: string) =>
  call("POST", `/auth/sign-on/${id}/logout`, {
    raw: `logout_token=${token}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });

/** Everything that is done with a connection, for the tests of every statement. */
export async function useConnections(owner: Person): Promise<void> {
  const { token } = owner;
  const { id } = await connect(owner);
  await open(owner, id);
  const browser = newBrowser();
  const departure = await leave(browser, `?tenant=${owner.tenantId}`);
  await arrive(browser, id, departure, { claims: claimsOf(departure), signedBy: "foreign" });
  for (const claims of [{ sid: "none" }, { sub: "nobody" }]) await sendLogout(id, await logoutToken(claims));
  await renewAll();
  await call("POST", "/auth/sign-on/discover", { body: { email: owner.email } });
  await newBrowser().send("GET", "/console/sign-in");
  const at = `/tenant/connections/${id}`;
  for (const path of ["/tenant/connections", at, `${at}/traces`]) await call("GET", path, { token });
  const slashed = { oidc: { issuer: "https://slashed.issuer.example" } };
  await call("PATCH", at, { token, body: slashed });
  await call("POST", `${at}/disable`, { token, body: {} });
  await call("DELETE", at, { token, body: { members: "remove" } });
}

/** Runs the daily look at all connections. */
export async function renewAll(): Promise<void> {
  const deps = await createDeps(env, createExecutionContext());
  await renewConnections(deps, 0, "", () => false);
}
