/** Right and wrong uses of the routes of connections: by owners and platform keys, directories and providers. */
import { call } from "../client";
import { claimsOf, newBrowser } from "../oauth";
import { metadataOf, newSamlProvider, samlResponse } from "../saml-provider";
import { follow, leaveForSaml, postToAcs } from "../saml-sign-on";
import { recordOf, scim, USER } from "../scim";
import { arrive, ISSUER, leave, logoutToken, sendLogout, testerOf } from "../sign-on";
import { ask, fresh, keep } from "./caller";

interface Owner {
  token: string;
  tenantId: string;
}

/** Makes a token for a directory, which brings somebody, lets them in again after a removal, and ends the token. */
async function useDirectory(at: string, id: string, owner: Owner, token: string): Promise<void> {
  await ask("POST", `${at}/scim-tokens`, { expiresAt: fresh("time") }, token);
  const made = (await ask("POST", `${at}/scim-tokens`, {}, token)).body.data;
  const directory = { connection: { id, tenantId: "", domain: "" }, token: keep(made.token) };
  const email = keep((await testerOf(owner)).email);
  const body = { schemas: [USER], userName: email, emails: [{ value: email }], password: fresh("password") };
  const { id: person } = (await scim(directory, "POST", "/Users", { body })).body;
  await scim({ ...directory, token: fresh("token") }, "GET", `/Users?filter=${fresh("filter")}`);
  await ask("GET", `${at}/scim-tokens`, undefined, token);
  await ask("GET", `${at}/people`, undefined, token);
  for (const rules of [[], [fresh("rule")]]) await ask("POST", `${at}/roles/preview`, { rules }, token);
  await ask("POST", `${at}/people/${person}/release`, {}, token);
  await ask("DELETE", `/members/${(await recordOf(id, person))?.userId}`, undefined, owner.token);
  await ask("POST", `${at}/people/${person}/release`, {}, token);
  for (const _ of ["", "again"]) await ask("DELETE", `${at}/scim-tokens/${made.id}`, {}, token);
}

/** Sends an address and a logout token, and starts a sign-on at the provider. */
async function useSignOn(id: string, email: string): Promise<void> {
  for (const path of ["/auth/sign-on/discover", "/auth/sign-on/mail"]) {
    for (const typed of [fresh("no-address"), email]) await ask("POST", path, { email: typed });
  }
  for (const iss of [ISSUER, fresh("issuer")]) {
    const form = new URLSearchParams({ iss, login_hint: fresh("hint") });
    await call("POST", `/auth/sign-on/${id}/initiate`, { raw: form, redirect: "manual" });
  }
  for (const signedBy of ["foreign", undefined] as const) {
    const script = signedBy === undefined ? {} : { signedBy };
    await sendLogout(id, keep(await logoutToken({ sid: fresh("sid") }, script)));
  }
}

/** Tests a connection by SAML, with responses that are forged and one that is good. */
async function useSaml(base: string, owner: Owner, token: string): Promise<void> {
  const provider = await newSamlProvider();
  const saml = { metadata: metadataOf(provider) };
  await ask("POST", base, { name: "Acme", kind: "saml", saml: { metadata: fresh("metadata") } }, token);
  const { id, serviceProvider } = (await ask("POST", base, { name: "Acme", kind: "saml", saml }, token)).body.data;
  const { url } = (await ask("POST", `${base}/${id}/test`, {}, token)).body.data;
  const browser = newBrowser();
  const { requestId } = await leaveForSaml(browser, url);
  const attributes = { email: keep((await testerOf(owner)).email), phone: fresh("phone") };
  const ours = { audience: serviceProvider.entityId, acsUrl: serviceProvider.acsUrl };
  const said = { ...ours, inResponseTo: keep(requestId), subject: fresh("subject"), attributes };
  const good = keep(await samlResponse(provider, said));
  for (const SAMLResponse of [fresh("response"), good]) {
    const { location } = await postToAcs(id, { SAMLResponse, RelayState: fresh("relay-state") });
    const answer = keep(new URL(location).searchParams.get("answer") ?? "");
    await follow(SAMLResponse === good ? browser : newBrowser(), location);
    await follow(newBrowser(), location.replace(encodeURIComponent(answer), fresh("answer")));
  }
  await postToAcs(id, { SAMLResponse: "A".repeat(300 * 1024) });
  await ask("DELETE", `${base}/${id}`, { members: "keep" }, token);
}

/** Makes, tests, activates and ends a connection, each rightly and wrongly. */
export async function useConnections(base: string, owner: Owner, token: string): Promise<void> {
  const oidc = { issuer: ISSUER, clientId: "an-id", clientSecret: "a-secret" };
  await ask("POST", base, { name: "Okta", kind: fresh("kind") }, token);
  const { id } = (await ask("POST", base, { name: "Okta", oidc }, token)).body.data;
  for (const act of ["test", "activate", "disable"])
    await ask("POST", `${base}/${fresh("connection")}/${act}`, {}, token);
  await ask(
    "PATCH",
    `${base}/${id}`,
    { oidc: { issuer: fresh("issuer"), clientSecret: fresh("client-secret") } },
    token,
  );
  await ask("PATCH", `${base}/${id}`, { name: "Other" }, token);
  const { url } = (await ask("POST", `${base}/${id}/test`, {}, token)).body.data;
  keep(new URL(url).searchParams.get("ticket") ?? "");
  const browser = newBrowser();
  const departure = await leave(browser, url);
  const { email } = await testerOf(owner);
  const claims = claimsOf(departure, { email: keep(email), name: fresh("name") });
  await arrive(browser, id, departure, { claims });
  await ask("GET", `${base}/${id}/traces`, undefined, token);
  await ask("POST", `${base}/${id}/activate`, {}, token);
  await useDirectory(`${base}/${id}`, id, owner, token);
  await useSignOn(id, email);
  await useSaml(base, owner, token);
  await ask("POST", `${base}/${id}/disable`, {}, token);
  await ask("DELETE", `${base}/${id}`, { members: fresh("members") }, token);
  await ask("DELETE", `${base}/${id}`, { members: "keep" }, token);
}
