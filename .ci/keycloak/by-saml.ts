/** Keycloak as a provider by SAML: set up as the recipe says, and then wrongly. */
import type { Customer, LogIn } from "../../test/browser/customer.ts";
import { Visitor } from "../../test/sdk/visitor.ts";
import { type Keycloak, makePerson, PASSWORD } from "./start.ts";

type Check = (what: string, ok: boolean, detail?: unknown) => void;

/** Types name and password into Keycloak's own page, and sends its response on, which a script of that page does. */
const logIn: LogIn = async (browser, page, email) => {
  const isAsked = page.html.includes('name="password"');
  const answered = isAsked ? await browser.send(page, "password", { username: email, password: PASSWORD }) : page;
  return browser.send(answered, "SAMLResponse", {});
};

const mapper = (name: string, protocolMapper: string, config: Record<string, string>) => ({
  ...{ name, protocol: "saml", protocolMapper },
  config: { "attribute.name": name, "attribute.nameformat": "Basic", ...config },
});

/** The client of the recipe. `attributes` change it. */
const clientOf = (entityId: string, acsUrl: string, attributes: Record<string, string> = {}) => ({
  clientId: entityId,
  protocol: "saml",
  redirectUris: [acsUrl],
  adminUrl: acsUrl,
  frontchannelLogout: false,
  attributes: {
    "saml.assertion.signature": "true",
    "saml.server.signature": "false",
    "saml.client.signature": "false",
    "saml.encrypt": "false",
    "saml.authnstatement": "true",
    "saml.signature.algorithm": "RSA_SHA256",
    saml_force_name_id_format: "true",
    saml_name_id_format: "persistent",
    saml_idp_initiated_sso_url_name: "postern",
    ...attributes,
  },
  protocolMappers: [
    mapper("email", "saml-user-property-mapper", { "user.attribute": "email" }),
    mapper("groups", "saml-group-membership-mapper", { single: "true", "full.path": "false" }),
  ],
});

export async function signOnBySaml(acme: Customer, keycloak: Keycloak, check: Check): Promise<void> {
  const made = { name: "Keycloak", kind: "saml", provider: "keycloak" };
  const { id, serviceProvider } = (await acme.call("POST", "/tenant/connections", made)).body.data;
  const { entityId, acsUrl } = serviceProvider;
  const client = await keycloak.admin("POST", "/clients", clientOf(entityId, acsUrl));
  const at = `/tenant/connections/${id}`;
  const saml = { metadataUrl: `${keycloak.issuer}/protocol/saml/descriptor` };
  const roles = { default: "viewer", rules: [{ group: "Admins", role: "admin" }] };
  const changed = await acme.call("PATCH", at, { saml, roles });
  check("SAML: the metadata completes the connection", changed.body.data?.state === "ready", changed.body);
  const email = `ada-by-saml@${acme.domain}`;
  await makePerson(keycloak, email, { groups: ["Admins"] });
  const trace = await acme.test(id, email, logIn);
  console.log(`        the claims: ${JSON.stringify(trace.claims)}`);
  check("SAML: a test of an administrator succeeds", trace.would?.role === "admin" && trace.reason === null, trace);
  check("SAML: it is activated", (await acme.call("POST", `${at}/activate`)).status === 200);
  const browser = new Visitor();
  const back = await acme.signOn(id, email, logIn, browser);
  const opened = await acme.exchange(browser, back.searchParams.get("code"));
  check("SAML: the person signs on", opened.status === 200, opened.body);
  await openTile(acme, keycloak, email, check);
  const newcomer = `grace-by-saml@${acme.domain}`;
  await makePerson(keycloak, newcomer);
  const say = async (what: string, reason: string, attributes: Record<string, string>) => {
    await keycloak.admin("PUT", `/clients/${client}`, clientOf(entityId, acsUrl, attributes));
    const said = await acme.test(id, newcomer, logIn);
    check(`SAML: ${what}: ${reason}`, said.reason === reason, said);
    console.log(`        ${said.message}`);
  };
  const unsigned = { "saml.assertion.signature": "false" };
  await say("the assertion is not signed", "not_signed", unsigned);
  await say("the response alone is signed", "not_signed", { ...unsigned, "saml.server.signature": "true" });
  await say("SHA-1", "algorithm", { "saml.signature.algorithm": "RSA_SHA1" });
  await say("the person for now alone", "no_subject", { saml_name_id_format: "transient" });
  await say("an address as the subject", "address_as_subject", { saml_name_id_format: "email" });
}

/** A tile of Keycloak sends a response that answers no request, and the sign-on that it begins is answered at once. */
async function openTile(acme: Customer, { issuer }: Keycloak, email: string, check: Check): Promise<void> {
  const browser = new Visitor();
  const asked = await browser.open(`${issuer}/protocol/saml/clients/postern`);
  const answered = await browser.send(asked, "password", { username: email, password: PASSWORD });
  const again = await browser.send(answered, "SAMLResponse", {});
  browser.stopsAt = `${new URL(again.url).origin}/nowhere`;
  const done = await browser.send(again, "SAMLResponse", {}).catch((error: unknown) => error);
  const isIn = done instanceof Error ? false : (done as { html: string }).html.includes(acme.domain);
  check("SAML: a tile signs the person on", isIn, done instanceof Error ? done.message : done);
}
