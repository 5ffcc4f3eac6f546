/** Connections by SAML 2.0, and browsers that sign on through them. */
import { exports } from "cloudflare:workers";
import { fromBase64 } from "../../src/base/crypto/encoding";
import { call, newAddress, type Person } from "./client";
import { type Browser, newBrowser } from "./oauth";
import { type Said, type SamlProvider, samlResponse } from "./saml-provider";
import { testerOf } from "./sign-on";

const SIGN_ON = "/api/v1/auth/sign-on";

export interface SamlConnection {
  id: string;
  provider: SamlProvider;
  /** Ours, as the API shows them. */
  audience: string;
  acsUrl: string;
}

/** A connection of the owner's tenant to this provider. */
export async function connectSaml(owner: Person, provider: SamlProvider, fields: object = {}): Promise<SamlConnection> {
  const { entityId, ssoUrl, certificate } = provider;
  const answer = await call("POST", "/tenant/connections", {
    token: owner.token,
    body: { name: "Acme", kind: "saml", saml: { entityId, ssoUrl, certificates: [certificate] }, ...fields },
  });
  if (answer.status !== 201) throw new Error(`connection answered ${JSON.stringify(answer.body)}`);
  const { id, serviceProvider } = answer.body.data;
  return { id, provider, audience: serviceProvider.entityId, acsUrl: serviceProvider.acsUrl };
}

export interface SamlDeparture {
  url: URL;
  /** The request as the provider reads it. */
  request: string;
  requestId: string;
}

/** Sends a browser to the provider, by a query of `/auth/sign-on` or by the address of a test. */
export async function leaveForSaml(browser: Browser, address: string): Promise<SamlDeparture> {
  const { search } = new URL(address, "https://postern.test");
  return departureOf((await browser.send("GET", `${SIGN_ON}${search}`)).location);
}

export async function departureOf(location: string | null): Promise<SamlDeparture> {
  const url = new URL(location ?? "");
  const deflated = new Blob([fromBase64(url.searchParams.get("SAMLRequest") ?? "")]).stream();
  const request = await new Response(deflated.pipeThrough(new DecompressionStream("deflate-raw"))).text();
  return { url, request, requestId: / ID="([^"]+)"/.exec(request)?.[1] ?? "" };
}

/** Sends a form as a page of the provider does: from another site, so that no cookie goes with it. */
export async function postToAcs(id: string, form: Record<string, string>) {
  const response = await exports.default.fetch(`https://postern.test${SIGN_ON}/${id}/acs`, {
    method: "POST",
    headers: { "cf-connecting-ip": newAddress(), origin: "https://idp.example", "sec-fetch-site": "cross-site" },
    body: new URLSearchParams(form),
    redirect: "manual",
  });
  const { status, headers } = response;
  return {
    status,
    location: headers.get("location") ?? "",
    cookies: headers.getSetCookie(),
    text: await response.text(),
  };
}

/** Goes on to where the form has led. Returns where the browser is sent then. */
export async function follow(browser: Browser, location: string): Promise<URL> {
  const { pathname, search } = new URL(location);
  return new URL((await browser.send("GET", `${pathname}${search}`)).location ?? "");
}

type Script = Partial<Said> & { form?: Record<string, string> };

/** Brings a browser back with a response to its request. Returns where it is sent then. */
export async function arriveBySaml(
  browser: Browser,
  { id, provider, ...ours }: SamlConnection,
  { requestId }: Pick<SamlDeparture, "requestId">,
  { form = {}, ...said }: Script = {},
): Promise<URL> {
  const SAMLResponse = await samlResponse(provider, { ...ours, inResponseTo: requestId, ...said });
  return follow(browser, (await postToAcs(id, { SAMLResponse, ...form })).location);
}

/** Tests a connection. Returns the trace. */
export async function testSaml({ token }: Person, connection: SamlConnection, said: Script = {}) {
  const at = `/tenant/connections/${connection.id}`;
  const { url, traceId } = (await call("POST", `${at}/test`, { token, body: {} })).body.data;
  const browser = newBrowser();
  const back = await arriveBySaml(browser, connection, await leaveForSaml(browser, url), said);
  return { trace: (await call("GET", `${at}/traces/${traceId}`, { token })).body.data, back, browser };
}

/** Tests and activates a connection. */
export async function openSaml(owner: Person, connection: SamlConnection): Promise<void> {
  const attributes = await testerOf(owner);
  const { trace } = await testSaml(owner, connection, { subject: crypto.randomUUID(), attributes });
  const path = `/tenant/connections/${connection.id}/activate`;
  const answer = await call("POST", path, { token: owner.token, body: {} });
  if (answer.status !== 200) throw new Error(`${JSON.stringify(answer.body)} after ${JSON.stringify(trace)}`);
}

/** Exchanges the code with which a browser has come back. */
export const exchange = (browser: Browser, back: URL) =>
  browser.send("POST", "/api/v1/auth/oauth/exchange", { body: { code: back.searchParams.get("code") } });
