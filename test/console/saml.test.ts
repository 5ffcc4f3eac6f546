/** The pages of a connection by SAML: for owners in the console, and for whoever has a setup link. */
import { expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { vouchedDomain } from "../support/domains";
import { newBrowser } from "../support/oauth";
import { metadataOf, newSamlProvider } from "../support/saml-provider";
import { arriveBySaml, leaveForSaml, testSaml } from "../support/saml-sign-on";
import { openedSetupLink } from "../support/setup-links";
import { testerOf } from "../support/sign-on";

const idIn = (location: string | null) => location?.split("/").at(-1)?.split("?")[0] ?? "";

test("an owner connects a provider by its metadata, changes a certificate, tests and activates", async () => {
  const owner = await signUpVerified();
  const [browser, idp, next] = [await holding(owner), await newSamlProvider(), await newSamlProvider()];
  expect((await browser.get("/connections/new")).html).toContain('href="/console/connections/new/saml"');
  expect((await browser.get("/connections/new/saml")).html).toContain("Metadata URL");
  const fields = { name: "Acme", provider: "okta" };
  const bad = await browser.post("/connections/new/saml", { ...fields, "saml.metadata": "<a/>" });
  expect([bad.status, bad.html]).toEqual([400, expect.stringMatching(/id="saml.metadata-error"/)]);
  const made = await browser.post("/connections/new/saml", { ...fields, "saml.metadata": metadataOf(idp) });
  const id = idIn(made.location);
  const read = async () => (await call("GET", `/tenant/connections/${id}`, { token: owner.token })).body.data;
  const { serviceProvider, saml } = await read();
  const page = (await browser.get(`/connections/${id}`)).html;
  for (const text of [...Object.values<string>(serviceProvider), idp.entityId, saml.certificates[0].fingerprint]) {
    expect(page).toContain(text);
  }
  const form = (await browser.get(`/connections/${id}/edit`)).html;
  for (const text of [idp.ssoUrl, "BEGIN CERTIFICATE", "Attribute with the address"]) expect(form).toContain(text);
  const pems = [idp, next].map(({ certificate }) => certificate).join("\n\n");
  const changed = {
    ...{ ...fields, "saml.entityId": idp.entityId, "saml.ssoUrl": idp.ssoUrl, "saml.certificates": pems },
    ...{ "attributes.groups": "teams", "roles.default": "viewer", "session.hours": "8" },
  };
  expect((await browser.post(`/connections/${id}`, changed)).status).toBe(303);
  expect(await read()).toMatchObject({
    saml: { entityId: idp.entityId, certificates: [{}, { certificate: next.certificate }] },
    ...{ attributes: { groups: "teams" }, roles: { default: "viewer" }, session: { hours: 8 } },
  });
  const wrong = await browser.post(`/connections/${id}`, { ...changed, "saml.certificates": "abc" });
  expect([wrong.status, wrong.html]).toEqual([400, expect.stringMatching(/id="saml.certificates-error"/)]);
  expect((await browser.post(`/connections/${id}/test`)).html).toContain("/api/v1/auth/sign-on?ticket=");
  const connection = { id, provider: idp, audience: serviceProvider.entityId, acsUrl: serviceProvider.acsUrl };
  const { trace } = await testSaml(owner, connection, { subject: "ada", attributes: await testerOf(owner) });
  expect((await browser.get(`/connections/${id}/traces/${trace.id}`)).html).toContain("The test has succeeded.");
  expect((await browser.follow(await browser.post(`/connections/${id}/activate`))).html).toContain(
    "people can sign on",
  );
});

test("somebody with a setup link connects a provider, which an owner reviews by its certificate", async () => {
  const owner = await signUpVerified();
  const [setup, idp] = [await openedSetupLink(owner, { may: ["connection"] }), await newSamlProvider()];
  const fields = { name: "Acme", provider: "other", "saml.metadata": metadataOf(idp) };
  const id = idIn((await setup.post("/connections/new/saml", fields)).location ?? null);
  const { data } = (await call("GET", `/tenant/connections/${id}`, { token: owner.token })).body;
  expect(data).toMatchObject({ kind: "saml", state: "ready", needsReview: true });
  const { html } = await setup.get(`/connections/${id}`);
  expect([html.includes(data.serviceProvider.acsUrl), html.includes("An owner looks at this connection")]).toEqual([
    true,
    true,
  ]);
  const page = (await setup.post(`/connections/${id}/test`)).html;
  const url = page.match(/https?:[^"]*ticket=[^"]*/)?.[0].replaceAll("&amp;", "&") ?? "";
  const browser = newBrowser();
  const attributes = { email: `a@${await vouchedDomain(owner.tenantId)}` };
  const { entityId: audience, acsUrl } = data.serviceProvider;
  const back = await arriveBySaml(browser, { id, provider: idp, audience, acsUrl }, await leaveForSaml(browser, url), {
    attributes,
  });
  expect(back.pathname).toMatch(new RegExp(`^/setup/connections/${id}/traces/`));
  expect((await (await holding(owner)).get(`/connections/${id}`)).html).toContain(
    data.saml.certificates[0].fingerprint,
  );
  expect((await setup.post(`/connections/${id}`, { ...fields, "saml.metadata": "<a/>" })).status).toBe(400);
});
